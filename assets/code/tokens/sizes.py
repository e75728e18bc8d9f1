import torch
from torch import nn

d_model = 256  # yours
n_heads = 8  # yours
d_ff = 1024  # yours
layers = 4  # yours
vocabulary = 8000  # yours


def count(part: nn.Module) -> int:
    return sum(weights.numel() for weights in part.parameters())


with torch.device("meta"):  # shapes only: these modules contain no numbers
    embedding = count(nn.Embedding(vocabulary, d_model))  # also the output projection
    attention = count(nn.MultiheadAttention(d_model, n_heads))  # W_Q, W_K, W_V and W_O with their biases
    feed_forward = count(nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)))
    layer_norm = count(nn.LayerNorm(d_model))
d_k = d_model // n_heads
encoder = layers * (attention + feed_forward + 2 * layer_norm)
decoder = layers * (2 * attention + feed_forward + 3 * layer_norm)
parameters = embedding + encoder + decoder
