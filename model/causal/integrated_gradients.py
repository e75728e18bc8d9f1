"""Integrated gradients: a metric attributed to embeddings or pixels (Sundararajan et al. 2017).

The gradient is averaged along the straight line from a baseline to the input and multiplied by their difference. The
attributions sum to the metric of the input minus that of the baseline (completeness, section 3); what is missing is
the error of the quadrature, and stated. Points are those of Gauss and Legendre, and their number is doubled until the
gap is small enough or the most points are reached. ReLU bends the path, so the translator needs more points than a ViT.

Baselines: tokens lose their embedding and keep their position; a picture becomes its mean colour, as in
`model.attribution.faithfulness`. Another baseline gives other attributions.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Intervention, replace_by
from ..runtime.progress import InSteps, Progress, as_one_call
from .activation_patching import number_positions
from .causal_error import CausalError
from .metrics import Metric, evaluate
from .result_tables import CausalResult, Table, TableAxis
from .resumable import Inputs, ResumableNetwork

FIRST_POINTS, MOST_POINTS = 16, 128
TOLERANCE = 5e-3  # of the gap, as a share of the metric's change
BATCH = 16  # points whose gradients are computed together


@dataclass(frozen=True, eq=False, repr=False)
class IntegratedGradients(CausalResult):
    """Attributions of a metric."""

    metric: Metric
    """What is attributed."""
    attributions: dict[str, np.ndarray]
    """Of text, stack -> `(position,)` float64; of a picture, "patches" -> `(patch,)` and "pixels" -> `(row, column)`,
    summed over colours; in the metric's unit.
    """
    labels: dict[str, tuple[str, ...]]
    """In the form of `attributions`, without "pixels"."""
    value: float
    baseline: float
    """`value`, `baseline`: the metric of the input and of the baseline."""
    points: int
    """Of the quadrature."""

    @property
    def gap(self) -> float:
        """The change of the metric minus the sum of the attributions: the error of the quadrature."""
        total = sum(float(values.sum()) for name, values in self.attributions.items() if name != "pixels")
        return self.value - self.baseline - total

    @property
    def tables(self) -> dict[str, Table]:
        tables = {}
        for name, values in self.attributions.items():
            if name == "pixels":
                axes = TableAxis.counted("row", len(values)), TableAxis.counted("column", values.shape[1])
                tables[name] = Table(values, axes, self.metric.unit)
            else:
                tables[name] = Table(values, (TableAxis("position", self.labels[name]),), self.metric.unit)
        return tables


def integrate_gradients_in_steps(
    resumable: ResumableNetwork,
    inputs: Inputs,
    metric: Metric,
    *,
    stacks: Collection[str] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    tolerance: float = TOLERANCE,
    most_points: int = MOST_POINTS,
    first_points: int = FIRST_POINTS,
) -> InSteps[IntegratedGradients]:
    """Attribute a metric to the tokens or the pixels of one input.

    Args:
        inputs: with a batch of one.
        stacks: whose tokens get attributions; the others stay as they are. By default the first, the source.
        labels: stack -> labels of its positions; of a ViT including CLS, which gets no attribution.
        tolerance: the largest gap, as a share of the change of the metric.
        most_points: the points are not doubled beyond this number.
        first_points: their number before they are doubled; with as many `most_points`, the number is fixed.

    Raises:
        CausalError: a stack, position or logit does not exist, or a number is out of range.
    """
    least = max(1, first_points)
    if not tolerance > 0 or not least == first_points <= most_points:
        raise CausalError("The tolerance must be above 0 and the points at least {least}.", least=least)
    names = [next(iter(resumable.stacks))] if stacks is None else list(dict.fromkeys(stacks))
    unknown = [name for name in names if name not in resumable.stacks]
    if unknown or not names:
        raise CausalError("Choose stacks from {known}.", known=", ".join(resumable.stacks))
    with torch.no_grad():
        hidden = resumable.run(inputs)
        metric.check(resumable, hidden.shape[1])
        value = float(evaluate(resumable, hidden, metric)[0])
    path: _Path
    if resumable.reads_pixels:
        path = _PixelPath(resumable, inputs, metric)
    else:
        path = _TokenPath(resumable, inputs, metric, names)
    baseline, done, total = path.value(0.0), 0, _total(first_points, most_points)
    points, gap = 0, np.inf
    sums: list[Tensor] = []
    while max(2 * points, first_points) <= most_points and gap > tolerance * abs(value - baseline):
        points = max(2 * points, first_points)
        nodes, weights = np.polynomial.legendre.leggauss(points)
        sums = []
        for start in range(0, points, BATCH):
            part = slice(start, start + BATCH)
            gradients = path.gradients((nodes[part] + 1) / 2, weights[part] / 2)
            sums = [old + new for old, new in zip(sums, gradients, strict=True)] if sums else gradients
            done += 1
            yield Progress(done, total)
        attributed = float(sum(float((one * move).sum()) for one, move in zip(sums, path.moves, strict=True)))
        gap = abs(value - baseline - attributed)
    yield Progress(total, total)
    attributions, own = path.collect(sums, labels or number_positions(resumable.lengths(inputs)))
    return IntegratedGradients(metric, attributions, own, value, baseline, points)


integrate_gradients = as_one_call(integrate_gradients_in_steps)


def count_points(first_points: int = FIRST_POINTS, most_points: int = MOST_POINTS) -> int:
    """The points at which gradients are computed, if their number is doubled up to the most."""
    return sum(first_points << doubling for doubling in range((most_points // first_points).bit_length()))


def _total(first: int, most: int) -> int:
    """Batches up to the most points."""
    total, points = 0, first
    while points <= most:
        total, points = total + -(-points // BATCH), points * 2
    return total


class _Path(ABC):
    """The line from a baseline to an input, in one or more tensors that the network reads."""

    # `starts`, `moves`: the baseline, and what is added to reach the input, `(1, ...)` each
    starts: list[Tensor]
    moves: list[Tensor]

    @abstractmethod
    def measure(self, tensors: list[Tensor]) -> Tensor:
        """The metric of every row of these tensors, `(row,)` float64."""

    @abstractmethod
    def collect(
        self, sums: list[Tensor], labels: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
        """Attributions and labels by name, from the averaged gradients."""

    def value(self, share: float) -> float:
        """The metric at a share of the way."""
        with torch.no_grad():
            return float(self.measure([start + share * move for start, move in self._pairs()])[0])

    def gradients(self, shares: np.ndarray, weights: np.ndarray) -> list[Tensor]:
        """Weighted sum of the gradients at some points of the line, in the form of `moves`, float64."""
        with torch.enable_grad():
            steps = torch.from_numpy(shares).to(self.starts[0])
            tensors = [
                (start + steps.view(-1, *[1] * (start.ndim - 1)) * move).requires_grad_(True)
                for start, move in self._pairs()
            ]
            values = self.measure(tensors)
            gradients = torch.autograd.grad((values * torch.from_numpy(weights).to(values)).sum(), tensors)
        return [gradient.double().sum(dim=0, keepdim=True) for gradient in gradients]

    def _pairs(self) -> list[tuple[Tensor, Tensor]]:
        return list(zip(self.starts, self.moves, strict=True))


class _TokenPath(_Path):
    """From sequences without token embeddings to the embedded input."""

    def __init__(self, resumable: ResumableNetwork, inputs: Inputs, metric: Metric, stacks: list[str]) -> None:
        self.resumable, self.inputs, self.metric, self.stacks = resumable, inputs, metric, stacks
        with torch.no_grad():
            run = resumable.record(inputs)
            tokens = [resumable.embedded_tokens(run, stack) for stack in stacks]
        self.names = [name for name, _ in tokens]
        self.moves = [move for _, move in tokens]  # (1, position, d_model)
        self.starts = [run.tensors[name] - move for name, move in tokens]

    def measure(self, tensors: list[Tensor]) -> Tensor:
        changes = {name: replace_by(tensor) for name, tensor in zip(self.names, tensors, strict=True)}
        rows = tuple(part.expand(len(tensors[0]), *part.shape[1:]) for part in self.inputs)
        return evaluate(self.resumable, self.resumable.run(rows, Intervention(changes)), self.metric)

    def collect(
        self, sums: list[Tensor], labels: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
        values = [(one * move).sum(dim=-1)[0].cpu().numpy() for one, move in zip(sums, self.moves, strict=True)]
        return dict(zip(self.stacks, values, strict=True)), {stack: tuple(labels[stack]) for stack in self.stacks}


class _PixelPath(_Path):
    """From a picture's mean colour to the picture."""

    def __init__(self, resumable: ResumableNetwork, inputs: Inputs, metric: Metric) -> None:
        self.resumable, self.inputs, self.metric = resumable, inputs, metric
        self.starts = [inputs[0].mean(dim=(2, 3), keepdim=True).expand_as(inputs[0])]
        self.moves = [inputs[0] - self.starts[0]]  # (1, 3, height, width)

    def measure(self, tensors: list[Tensor]) -> Tensor:
        return evaluate(self.resumable, self.resumable.run((tensors[0],)), self.metric)

    def collect(
        self, sums: list[Tensor], labels: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
        product = sums[0] * self.moves[0]  # (1, 3, height, width)
        pixels = product[0].sum(dim=0).cpu().numpy()  # (height, width)
        rows, columns, first = self.resumable.patch_grid(self.inputs)
        height, width = pixels.shape[0] // rows, pixels.shape[1] // columns
        whole = pixels[: rows * height, : columns * width].reshape(rows, height, columns, width)
        patches = whole.sum(axis=(1, 3)).reshape(-1)  # (patch,)
        own = tuple(labels["vision"][first : first + rows * columns])
        return {"patches": patches, "pixels": pixels}, {"patches": own}
