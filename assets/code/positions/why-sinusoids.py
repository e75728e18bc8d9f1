import torch

lengths = (9, 18)  # yours
d_model = 256  # yours


def schemes(length: int) -> tuple[torch.Tensor, ...]:  # integers, from 0 to 1, sinusoids; one row a position
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    angles = position / 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (length, d_model / 2)
    sinusoids = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # (length, d_model): sine, cosine, ...
    return position, position / (length - 1), sinusoids


# a row for each scheme, a column for each length
first, second = (schemes(length) for length in lengths)
largest = [[float(table.abs().max()) for table in pair] for pair in zip(first, second, strict=True)]
first_step = [[float((table[1] - table[0]).norm()) for table in pair] for pair in zip(first, second, strict=True)]
closest = [[float(torch.pdist(table).min()) for table in pair] for pair in zip(first, second, strict=True)]
