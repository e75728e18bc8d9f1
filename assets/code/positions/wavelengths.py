import math

import torch

length = 64  # yours
d_model = 256  # yours
form = "paper"  # yours

column = torch.arange(d_model, dtype=torch.float64)
exponent = (column // 2 * 2 if form == "paper" else column) / d_model
wavelengths = 2 * math.pi * 10000**exponent  # positions in one period
shortest, longest = wavelengths[0], wavelengths[-1]
seen = int((wavelengths <= length).sum())  # columns with at least one period over these positions
