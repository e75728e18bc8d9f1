import math

import torch

tokens = (("Je", 0.8), ("suis", 0.6), ("un", 0.7), ("étudiant", 0.5), ("</s>", 0.9))  # yours
base = 2.718281828459045  # yours

p = torch.tensor([probability for _, probability in tokens], dtype=torch.float64)
losses = -p.log() / math.log(base)  # of each token
total, mean = losses.sum(), losses.mean()
perplexity = base**mean
shares = losses / total
