import math

import torch

d_k = 100  # yours
seed = 0  # yours

generator = torch.Generator().manual_seed(seed)
queries = torch.randn(2000, 1, d_k, generator=generator)
keys = torch.randn(2000, 10, d_k, generator=generator)  # ten for each query
products = (queries * keys).sum(dim=-1)
scaled = products / math.sqrt(d_k)
variance, scaled_variance = products.double().var(), scaled.double().var()
