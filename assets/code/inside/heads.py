from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
kind = "encoder"  # yours


class MultiHeadAttention(nn.Module):
    def __init__(self, n_heads: int, w_q: nn.Linear, w_k: nn.Linear, w_v: nn.Linear, w_0: nn.Linear):
        super().__init__()
        self.n_heads, self.w_q, self.w_k, self.w_v, self.w_0 = n_heads, w_q, w_k, w_v, w_0

    def split(self, x: Tensor) -> Tensor:
        return x.view(len(x), self.n_heads, -1).transpose(0, 1)  # (position, d_model) -> (head, position, d_k)

    def forward(self, x: Tensor, memory: Tensor, causal: bool) -> Tensor:
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(memory)), self.split(self.w_v(memory))
        heads = scaled_dot_product_attention(q, k, v, is_causal=causal)  # (head, query, d_k)
        return self.w_0(heads.transpose(0, 1).contiguous().view(len(x), -1))  # (query, d_model)


translator, seen = Translator.load(device="cpu"), {}
block = (translator.network.encoder if kind == "encoder" else translator.network.decoder)[0]
trained = block.cross_attention if kind == "cross" else block.self_attention
trained.query.register_forward_pre_hook(lambda _, given: seen.update(x=given[0][0]))
trained.key.register_forward_pre_hook(lambda _, given: seen.update(memory=given[0][0]))
translator.trace(sentence, target_ids=target_ids)
own = MultiHeadAttention(trained.n_heads, trained.query, trained.key, trained.value, trained.output)
output = own(seen["x"], seen["memory"], causal=kind == "decoder")
parameters = sum(each.numel() for each in own.parameters())
