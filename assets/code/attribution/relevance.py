import torch
from torch import Tensor

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
words = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))  # yours
word = (0, 1)  # yours

translator, maps = Translator.load(device="cpu"), []
network, trace, chosen = translator.network, translator.trace(sentence, target_ids=target_ids), range(*word)


def tap(name: str, tensor: Tensor) -> Tensor:  # receives every tensor, and returns the one to go on with
    maps.extend([tensor] if name.endswith(".weights") else [])
    return tensor.requires_grad_() if name.endswith(".embedded") else tensor


def normalised(r: Tensor) -> Tensor:  # r without the identity, its rows divided by their sums, plus the identity
    return torch.nn.functional.normalize(r - torch.eye(r.shape[-1]), p=1, dim=-1) + torch.eye(r.shape[-1])


source, target = (torch.tensor([ids] * len(chosen)) for ids in (trace.source_ids, trace.target_ids))
log_p = network(source, target, tap).log_softmax(dim=-1)  # a row for each token of the target word
slopes = torch.autograd.grad(sum(log_p[row, at, trace.next_ids[at]] for row, at in enumerate(chosen)), maps)
weighed = [(slope * map).clamp(min=0).mean(dim=1) for slope, map in zip(slopes, maps, strict=True)]  # over heads
depth, r_ss, r_tt, r_ts = network.config.n_encoder_layers, torch.eye(source.shape[1]), torch.eye(target.shape[1]), 0.0
for own in weighed[:depth]:
    r_ss = r_ss + own @ r_ss
for own, cross in zip(weighed[depth::2], weighed[depth + 1 :: 2], strict=True):  # of each layer of the decoder
    r_tt = r_tt + own @ r_tt
    r_ts = r_ts + own @ (r_ts + torch.zeros_like(cross)) + normalised(r_tt).mT @ cross @ normalised(r_ss)
relevance = torch.stack([r_ts[range(len(chosen)), chosen].mean(dim=0)[begin:end].sum() for begin, end in words])
