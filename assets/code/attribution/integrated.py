import numpy
import torch
from torch import Tensor

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
words = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))  # yours
word = (0, 1)  # yours

translator, path = Translator.load(device="cpu"), []
network, trace, chosen = translator.network, translator.trace(sentence, target_ids=target_ids), range(*word)
nodes, weights = (torch.from_numpy(each).float() / 2 for each in numpy.polynomial.legendre.leggauss(32))
source, scores = torch.tensor([trace.source_ids] * 32), 0.0
embedded = network.embedding.weight[source].detach() * network.config.d_model**0.5  # without positions


def tap(name: str, tensor: Tensor) -> Tensor:  # 32 points between positions alone and the sentence
    if name != "encoder.embedded":
        return tensor
    path.append((tensor - (0.5 - nodes)[:, None, None] * embedded).detach().requires_grad_())
    return path[-1]


for at in chosen:  # the tokens of the target word
    target = torch.tensor([trace.target_ids[: at + 1]] * 32)
    log_p = network(source, target, tap).log_softmax(dim=-1)[:, at, trace.next_ids[at]]
    (slopes,) = torch.autograd.grad(log_p @ weights, path[-1:])
    scores = scores + (slopes * embedded).sum(dim=(0, 2)) / len(chosen)  # (source token,)
integrated = torch.stack([scores[begin:end].sum() for begin, end in words])
