import math

import torch

d_model = 256  # yours
form = "paper"  # yours
first = 0  # yours
second = 1  # yours

column = torch.tensor([first, second])
exponent = (column // 2 * 2 if form == "paper" else column).double() / d_model
frequency = 10000**-exponent  # radians a position
slower = 2 * math.pi / frequency.min()  # positions in a period of the slower wave
at_whole = []  # over 1 to 12 of these periods
for periods in range(1, 13):
    x = (torch.arange(400_000, dtype=torch.float64)[:, None] + 0.5) / 400_000 * periods * slower
    waves = torch.where(column % 2 == 0, (x * frequency).sin(), (x * frequency).cos())
    at_whole.append(float(2 * waves.prod(dim=1).mean()))
