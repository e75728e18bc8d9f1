import math

import torch

scheme = "alibi"  # yours
length = 32  # yours
head = 1  # yours

place = torch.arange(length)
distance = place - place[:, None]  # (query, key): the key's position minus the query's
size = distance.abs()
if scheme == "alibi":  # added to the scores
    matrix = -(2.0**-head) * size
elif scheme == "t5":  # which of 32 learned numbers is added
    far = (8 + (size.clamp(min=1) / 8).log() / math.log(128 / 8) * 8).long().clamp(max=15)
    matrix = 16 * (distance > 0) + torch.where(size < 8, size, far)
else:
    width = 32 if scheme == "rotary" else 256  # d_k, or d_model
    angles = place[:, None] / 10000 ** (torch.arange(0, width, 2).double() / width)
    turned = torch.cat(
        [angles.cos(), angles.sin()], dim=1
    )  # (1, 0) rotated by each angle; these are the sinusoids in another order
    matrix = turned @ turned.T / math.sqrt(width)
