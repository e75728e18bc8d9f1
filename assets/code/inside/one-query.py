import math

import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
kind = "encoder"  # yours
layer = 1  # yours
head = 1  # yours
query = 5  # yours

record = Translator.load(device="cpu").trace(sentence, target_ids=target_ids).records[kind]
q = torch.from_numpy(record.queries[layer - 1, head - 1, query - 1])  # (d_k,)
keys = torch.from_numpy(record.keys[layer - 1, head - 1])  # (key, d_k)
values = torch.from_numpy(record.values[layer - 1, head - 1])

products = keys @ q  # (key,)
scores = products / math.sqrt(len(q))
if kind == "decoder":
    scores[query:] = -math.inf  # the keys behind the query are masked
weights = scores.softmax(dim=0)
weighted = weights[:, None] * values  # (key, d_k)
mean = weighted.sum(dim=0)
