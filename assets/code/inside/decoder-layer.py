import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours


class DecoderLayer(nn.Module):
    def __init__(self, trained: nn.Module):  # with these weights
        super().__init__()
        self.masked, self.cross, self.fed = trained.self_attention, trained.cross_attention, trained.feed_forward
        self.norms = nn.ModuleList([trained.self_norm.norm, trained.cross_norm.norm, trained.feed_forward_norm.norm])

    def attend(self, own: nn.Module, x: Tensor, memory: Tensor, causal: bool) -> Tensor:
        projected = own.query(x), own.key(memory), own.value(memory)
        q, k, v = (each.view(len(each), own.n_heads, -1).transpose(0, 1) for each in projected)
        return own.output(scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(0, 1).flatten(1))

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:  # after each sub-layer Add & Norm
        x = self.norms[0](x + self.attend(self.masked, x, x, causal=True))
        x = self.norms[1](x + self.attend(self.cross, x, memory, causal=False))
        return self.norms[2](x + self.fed.contract(self.fed.expand(x).relu()))


translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
memory, streams = torch.from_numpy(trace.encoder_stream[-1]), [torch.from_numpy(trace.decoder_stream[0])]
for trained in translator.network.decoder:
    streams.append(DecoderLayer(trained)(streams[-1], memory))  # what each layer puts out: (position, d_model)
