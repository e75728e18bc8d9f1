import torch

length = 64  # yours
d_model = 256  # yours
form = "paper"  # yours
shift = 5  # yours

column = torch.arange(d_model, dtype=torch.float64)
exponent = (column // 2 * 2 if form == "paper" else column) / d_model
angles = torch.arange(length + shift)[:, None] / 10000**exponent
table = torch.where(column % 2 == 0, angles.sin(), angles.cos())  # (length + shift, d_model)
before, after = table[:length], table[shift:]

if form == "paper":  # each pair of columns turns by its own angle
    turns = shift / 10000 ** exponent[::2]
    blocks = torch.stack([turns.cos(), turns.sin(), -turns.sin(), turns.cos()], dim=1).view(-1, 2, 2)
else:  # no rotation is exact: the best blocks in the sense of least squares
    pairs = (each.unflatten(1, (-1, 2)).transpose(0, 1) for each in (before, after))  # (pair, length, 2)
    blocks = torch.linalg.lstsq(*pairs).solution.transpose(1, 2)
matrix = torch.block_diag(*blocks)  # (d_model, d_model)
residual = (after - before @ matrix.T).abs().max()
