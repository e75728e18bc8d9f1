import torch

length = 64  # yours
d_model = 256  # yours
form = "paper"  # yours

column = torch.arange(d_model, dtype=torch.float64)
angles = torch.arange(length)[:, None] / 10000 ** ((column // 2 * 2 if form == "paper" else column) / d_model)
table = torch.where(column % 2 == 0, angles.sin(), angles.cos())  # (length, d_model)

products = table @ table.T  # (p, q): PE(p) . PE(q)
by_distance = torch.stack([products.diagonal(k).mean() for k in range(length)])
spread = torch.stack([products.diagonal(k).max() - products.diagonal(k).min() for k in range(length)])
