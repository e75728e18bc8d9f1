import math

import torch

from model import Translator

sequences = ((62, 13, 47), (60, 96, 51, 32, 90), (35,))  # yours
layer = 1  # yours
head = 1  # yours


def pad_batch(sequences: tuple[tuple[int, ...], ...], pad_id: int = 0) -> torch.Tensor:
    longest = max(map(len, sequences))
    return torch.tensor([[*sequence, *[pad_id] * (longest - len(sequence))] for sequence in sequences])


ids = pad_batch(sequences)  # (batch, longest)
padding = (ids != 0)[:, None, None, :]  # (batch, 1, 1, key): True where a query may look
causal = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()[None, None]  # (1, 1, query, key)

network, inputs = Translator.load(device="cpu").network, []
attention = network.encoder[layer - 1].self_attention
attention.query.register_forward_pre_hook(lambda _, given: inputs.append(given[0]))
with torch.inference_mode():
    network.encode(ids, padding)
    network.encode(ids)  # without a padding mask
x = torch.stack(inputs)  # (run, batch, position, d_model)
q, k = (linear(x).chunk(attention.n_heads, -1)[head - 1] for linear in (attention.query, attention.key))
scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])  # (run, batch, query, key)
masked, unmasked = scores[0].masked_fill(~padding[:, 0], -math.inf).softmax(dim=-1), scores[1].softmax(dim=-1)
