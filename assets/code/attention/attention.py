import torch
from torch.nn.functional import scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

trace = Translator.load(device="cpu").trace(sentence, target_ids=target_ids)
weights, row_sum_error, masked_weight, difference = {}, 0.0, 0.0, 0.0
for kind, record in trace.records.items():  # encoder, decoder, cross
    q, k, v = (torch.from_numpy(part) for part in (record.queries, record.keys, record.values))  # (layer, head, ...)
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5  # (layer, head, query, key)
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1) if kind == "decoder" else torch.tensor(False)
    weights[kind] = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    shown, outputs = torch.from_numpy(record.weights), torch.from_numpy(record.outputs)
    row_sum_error = max(row_sum_error, float((shown.double().sum(dim=-1) - 1).abs().max()))
    masked_weight = max(masked_weight, float((shown * later).max()))
    apart = scaled_dot_product_attention(q, k, v, is_causal=kind == "decoder") - outputs
    difference = max(difference, float(apart.abs().max()))
encoder, decoder, cross = (weights[kind] for kind in ("encoder", "decoder", "cross"))
