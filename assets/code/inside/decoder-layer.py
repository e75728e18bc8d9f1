from torch import Tensor, from_numpy, nn
from torch.nn.functional import scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
rates = (0.1, 0.0)  # yours


class DecoderLayer(nn.Module):
    def __init__(self, trained: nn.Module):  # with these weights
        super().__init__()
        self.masked, self.cross, self.fed = trained.self_attention, trained.cross_attention, trained.feed_forward
        self.dropout, self.inside = map(nn.Dropout, rates)  # at three places, as in the paper, and at a fourth
        self.norms = nn.ModuleList([trained.self_norm.norm, trained.cross_norm.norm, trained.feed_forward_norm.norm])

    def attend(self, own: nn.Module, x: Tensor, memory: Tensor, causal: bool) -> Tensor:
        projected = own.query(x), own.key(memory), own.value(memory)
        q, k, v = (each.view(len(each), own.n_heads, -1).transpose(0, 1) for each in projected)
        return own.output(scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(0, 1).flatten(1))

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:  # after each sub-layer Add & Norm
        x = self.norms[0](x + self.dropout(self.attend(self.masked, x, x, causal=True)))
        x = self.norms[1](x + self.dropout(self.attend(self.cross, x, memory, causal=False)))
        return self.norms[2](x + self.dropout(self.fed.contract(self.inside(self.fed.expand(x).relu()))))


translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
memory, streams = from_numpy(trace.encoder_stream[-1]), [from_numpy(trace.decoder_stream[0])]
for trained in translator.network.decoder:
    streams.append(DecoderLayer(trained).eval()(streams[-1], memory))  # output of each layer: (position, d_model)
