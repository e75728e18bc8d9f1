import torch

rows = ((0.2, 0.1, 0.1), (0.4, 0.5, 0.1), (0.9, 0.05, 0.05))  # yours

tensors = [torch.tensor(row, dtype=torch.float64) for row in rows]
argmax = tuple(int(row.argmax()) for row in tensors)
totals = [float(row.sum()) for row in tensors]
powers = [(row - row.max()).exp() for row in tensors]  # minus the largest, so that nothing overflows
softmax = dict(enumerate(each / each.sum() for each in powers))
