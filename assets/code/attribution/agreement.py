import torch
from torch import Tensor

drops = (2.0, 0.5, 0.1)  # yours
scores = {"rollout": (0.5, 0.3, 0.2)}  # yours


def ranks(values: Tensor) -> Tensor:  # from the smallest; equal ones share the mean of theirs
    return (values[:, None] > values).double().sum(dim=1) + (values[:, None] == values).double().sum(dim=1) / 2


def spearman(first: Tensor, second: Tensor) -> float | None:  # how much two orders are alike: from -1 to 1
    a, b = (ranks(values) - ranks(values).mean() for values in (first, second))
    defined = len(first) > 2 and a.norm() * b.norm() > 0  # not of two values, nor where all are equal
    return float(a @ b / (a.norm() * b.norm())) if defined else None


by_leaving_out = torch.tensor(drops, dtype=torch.float64)  # of each source word but </s>: by how much ln p falls
correlations = {
    name: spearman(torch.tensor(each, dtype=torch.float64), by_leaving_out) for name, each in scores.items()
}
