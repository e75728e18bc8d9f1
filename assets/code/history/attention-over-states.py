import torch
from torch import Tensor, nn

from model import RecurrentTranslator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
score = "lstm-additive"  # yours


class AdditiveAttention(nn.Module):
    def __init__(self, w: Tensor, b: Tensor, u: Tensor, v: Tensor):
        super().__init__()
        self.w, self.b, self.u, self.v = w, b, u, v

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        joined = (queries @ self.w.T + self.b)[:, None] + keys @ self.u.T  # (T, S, width)
        return joined.tanh() @ self.v  # (T, S)


record = RecurrentTranslator.load(score, device="cpu").trace(sentence, target_ids=target_ids).records["cross"]
queries, states = (torch.from_numpy(part[0, 0]) for part in (record.queries, record.keys))  # decoder, encoder
given = [torch.from_numpy(part) for part in map(record.parameters.get, "WbUv") if part is not None]
scores = AdditiveAttention(*given)(queries, states) if given else queries @ states.T
weights = scores.softmax(dim=-1)  # (T, S)
contexts = weights @ states
