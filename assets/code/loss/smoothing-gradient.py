import torch
from torch.nn.functional import cross_entropy

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
position = 1  # yours
smoothing = 0.1  # yours

trace = Translator.load(device="cpu").trace(sentence, target_ids=target_ids)
logits, right = torch.from_numpy(trace.logits).double(), torch.tensor(trace.next_ids)
wanted = torch.full_like(logits, smoothing / logits.shape[1])  # (T, vocabulary)
wanted[range(len(right)), right] += 1 - smoothing
plain = cross_entropy(logits, right)
smoothed = -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1).mean()
smallest = torch.special.entr(wanted[0]).sum()
logits.requires_grad_()
cross_entropy(logits, right, reduction="sum", label_smoothing=smoothing).backward()
gradient = logits.grad[position - 1]  # by autograd; the formula is softmax(logits) - wanted
