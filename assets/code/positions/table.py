import math

import torch
from torch import Tensor, nn

length = 64  # yours
d_model = 256  # yours
form = "paper"  # yours


class PositionalEncoding(nn.Module):
    def __init__(self, length: int, d_model: int):
        super().__init__()
        column = torch.arange(d_model, dtype=torch.float64)
        exponent = (column // 2 * 2 if form == "paper" else column) / d_model  # a pair of columns shares it
        angles = torch.arange(length)[:, None] / 10000**exponent  # (length, d_model)
        table = torch.where(column % 2 == 0, angles.sin(), angles.cos())
        self.register_buffer("table", table)

    def forward(self, embedding: Tensor) -> Tensor:
        return embedding * math.sqrt(d_model) + self.table[: embedding.shape[-2]]


table = PositionalEncoding(length, d_model)(torch.zeros(length, d_model))
