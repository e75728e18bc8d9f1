import math

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
rates = (0.1, 0.0)  # yours


class EncoderLayer(nn.Module):
    def __init__(self, trained: nn.Module):  # with these weights
        super().__init__()
        own, fed, self.n_heads = trained.self_attention, trained.feed_forward, trained.self_attention.n_heads
        self.w_q, self.w_k, self.w_v, self.w_0 = own.query, own.key, own.value, own.output
        self.w_1, self.w_2 = fed.expand, fed.contract
        self.norm_1, self.norm_2 = trained.self_norm.norm, trained.feed_forward_norm.norm
        self.dropout, self.inside = map(nn.Dropout, rates)  # at two places, as in the paper, and at a third

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (w(x).view(len(x), self.n_heads, -1).transpose(0, 1) for w in (self.w_q, self.w_k, self.w_v))
        heads = scaled_dot_product_attention(q, k, v)  # (head, position, d_k)
        x = self.norm_1(x + self.dropout(self.w_0(heads.transpose(0, 1).flatten(1))))  # Add & Norm
        return self.norm_2(x + self.dropout(self.w_2(self.inside(self.w_1(x).relu()))))  # feed-forward, Add & Norm


translator = Translator.load(device="cpu")
network, ids = translator.network, translator.tokenizer.encode_source(sentence)
streams = [network.embedding.weight[ids] * math.sqrt(network.config.d_model) + network.positions[: len(ids)]]
for trained in network.encoder:
    streams.append(EncoderLayer(trained).eval()(streams[-1]))  # output of each layer: (position, d_model)
