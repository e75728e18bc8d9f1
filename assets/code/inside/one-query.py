import math

import torch
from torch import Tensor, nn

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
kind = "encoder"  # yours
layer = 1  # yours
head = 1  # yours
query = 5  # yours


class ScaledDotProductAttention(nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, ...]:
        products = q @ k.transpose(-2, -1)  # (..., key)
        scores = (products / math.sqrt(q.shape[-1])).masked_fill(~allowed, -math.inf)
        weights = scores.softmax(dim=-1)
        return products, scores, weights, weights @ v  # the last one (..., d_k)


record = Translator.load(device="cpu").trace(sentence, target_ids=target_ids).records[kind]
q = torch.from_numpy(record.queries[layer - 1, head - 1, query - 1])  # (d_k,)
keys, values = (torch.from_numpy(part[layer - 1, head - 1]) for part in (record.keys, record.values))  # (key, d_k)
allowed = torch.arange(len(keys)) < (query if kind == "decoder" else len(keys))  # not the keys after the query
products, scores, weights, mean = ScaledDotProductAttention()(q, keys, values, allowed)
weighted = weights[:, None] * values  # (key, d_k): the terms of the weighted mean
