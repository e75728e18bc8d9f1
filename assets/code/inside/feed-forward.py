import torch
from torch import Tensor, nn

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
stack = "encoder"  # yours
layer = 1  # yours


class PositionWiseFeedForward(nn.Module):
    def __init__(self, w_1: nn.Linear, w_2: nn.Linear):
        super().__init__()
        self.w_1, self.w_2 = w_1, w_2  # d_model -> d_ff -> d_model

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        before = self.w_1(x)
        hidden = before.clamp(min=0)  # ReLU
        return before, hidden, self.w_2(hidden)


translator, seen = Translator.load(device="cpu"), {}
trained = getattr(translator.network, stack)[layer - 1].feed_forward
trained.expand.register_forward_pre_hook(lambda _, given: seen.update(x=given[0][0]))
translator.trace(sentence, target_ids=target_ids)
with torch.inference_mode():
    before, hidden, output = PositionWiseFeedForward(trained.expand, trained.contract)(seen["x"])
share = float((hidden > 0).float().mean())
never = int((hidden == 0).all(dim=0).sum())
