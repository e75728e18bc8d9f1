import torch
from torch import Tensor

drops = (2.0, 0.5, 0.1)  # yours
scores = {"rollout": (0.5, 0.3, 0.2)}  # yours


def ranks(values: Tensor) -> Tensor:  # from the smallest; equal values get the mean of their ranks
    return (values[:, None] > values).double().sum(dim=1) + (values[:, None] == values).double().sum(dim=1) / 2


def spearman(first: Tensor, second: Tensor) -> float | None:  # rank correlation, from -1 to 1
    a, b = (ranks(values) - ranks(values).mean() for values in (first, second))
    defined = len(first) > 2 and a.norm() * b.norm() > 0  # undefined for two values, or where all are equal
    return float(a @ b / (a.norm() * b.norm())) if defined else None


by_leaving_out = torch.tensor(drops, dtype=torch.float64)  # decrease of ln p without each source word but </s>
correlations = {
    name: spearman(torch.tensor(each, dtype=torch.float64), by_leaving_out) for name, each in scores.items()
}
