import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
mask = "causal"  # yours
size = 3  # yours
painted = ()  # yours
layers = (1, 2, 3, 4)  # yours
layer = 1  # yours
head = 1  # yours

translator = Translator.load(device="cpu")
target_ids = translator.trace(sentence, target_ids=target_ids).next_ids
key = torch.arange(len(target_ids))
back = key[:, None] - key  # (query, key): how many tokens back the key is
window, prefix = (back >= 0) & (back < size), (back >= 0) | (key < size)
allowed = {"causal": back >= 0, "none": back == back, "window": window, "prefix": prefix}[mask]
for q, k in painted:  # these cells are the other way round
    allowed[q - 1, k - 1] = ~allowed[q - 1, k - 1]
for block in (translator.network.decoder[number - 1] for number in layers):
    block.self_attention.register_forward_pre_hook(lambda _, given: (*given[:2], allowed, *given[3:]))
trace = translator.trace(sentence, target_ids=target_ids)
scores = torch.from_numpy(trace.records["decoder"].scores[layer - 1, head - 1])  # (query, key)
weights = scores.masked_fill(~(allowed if layer in layers else back >= 0), -torch.inf).softmax(dim=-1)
losses = -torch.from_numpy(trace.logits).log_softmax(dim=-1)[range(len(target_ids)), target_ids]
loss = losses.mean()
