"""What a causal experiment measures: one number of a run, computed from a few of its logits.

Positions are those of the output: decoder positions of text, row t predicting token t + 1; a ViT has one, 0. Negative
positions count from the end.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from .causal_error import CausalError, check_whole
from .resumable import CausalNetwork

PROJECTED = 4_000_000  # logits that are computed at a time, so that they stay small


class Metric(ABC):
    """A number of a run."""

    unit: ClassVar[str]
    """Of the number: "logits", "nats" or "probability"."""
    higher_is_better: ClassVar[bool] = True
    """Whether a higher number means more of what is asked for."""

    @abstractmethod
    def places(self, length: int) -> list[int]:
        """The output positions that it reads."""

    @property
    def columns(self) -> tuple[int, ...] | None:
        """The logits that it reads; None for all."""
        return None

    @property
    @abstractmethod
    def indices(self) -> tuple[int, ...]:
        """Tokens or classes that must exist."""

    @abstractmethod
    def measure(self, logits: Tensor) -> Tensor:
        """`(row, place, column)` -> `(row,)`."""

    def check(self, resumable: CausalNetwork, length: int) -> None:
        """Check that the output has these positions, and the network these tokens or classes.

        Args:
            length: number of output positions.

        Raises:
            CausalError: one does not exist; the message states how many there are.
        """
        for index in self.indices:
            is_whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
            if not is_whole or not 0 <= index < resumable.columns:
                raise CausalError(
                    "There is no logit {index}; this network has {count}, from 0 to {last}.",
                    index=index,
                    count=resumable.columns,
                    last=resumable.columns - 1,
                )
        for place in self.positions:
            if not -length <= check_whole("position", place) < length:
                raise CausalError(
                    "There is no output position {place}; there are {count}, from 0 to {last}.",
                    place=place,
                    count=length,
                    last=length - 1,
                )

    @property
    @abstractmethod
    def positions(self) -> tuple[int, ...]:
        """Output positions that must exist, as they were stated."""


class _AtOnePosition(Metric):
    position: int

    @property
    def positions(self) -> tuple[int, ...]:
        """Output positions as they were stated."""
        return (self.position,)

    def places(self, length: int) -> list[int]:
        """The output positions that it reads, from 0."""
        return [self.position % length]


@dataclass(frozen=True)
class LogitDifference(_AtOnePosition):
    """The logit of a token or class minus that of another: how far the network prefers it (Wang et al. 2022)."""

    index: int
    other: int
    position: int = -1
    unit = "logits"

    @property
    def indices(self) -> tuple[int, ...]:
        """Tokens or classes that must exist."""
        return self.index, self.other

    @property
    def columns(self) -> tuple[int, ...]:
        """The logits that it reads."""
        return self.index, self.other

    def measure(self, logits: Tensor) -> Tensor:
        """`(row, place, column)` -> `(row,)`."""
        return logits[:, 0, 0] - logits[:, 0, 1]


@dataclass(frozen=True)
class Logit(_AtOnePosition):
    """The logit of a token or class."""

    index: int
    position: int = -1
    unit = "logits"

    @property
    def indices(self) -> tuple[int, ...]:
        """Tokens or classes that must exist."""
        return (self.index,)

    @property
    def columns(self) -> tuple[int, ...]:
        """The logits that it reads."""
        return (self.index,)

    def measure(self, logits: Tensor) -> Tensor:
        """`(row, place, column)` -> `(row,)`."""
        return logits[:, 0, 0]


@dataclass(frozen=True)
class Probability(_AtOnePosition):
    """The probability of a token or class."""

    index: int
    position: int = -1
    unit = "probability"

    @property
    def indices(self) -> tuple[int, ...]:
        """Tokens or classes that must exist."""
        return (self.index,)

    def measure(self, logits: Tensor) -> Tensor:
        """`(row, place, column)` -> `(row,)`."""
        return logits[:, 0].softmax(dim=-1)[:, self.index]


@dataclass(frozen=True)
class TargetLoss(Metric):
    """Mean -ln p of the tokens that should follow, in nats; for a ViT, of its one right class."""

    ids: tuple[int, ...]
    """One for each of `at`."""
    at: tuple[int, ...] | None = None
    """Output positions; by default the first ones, as many as there are ids."""
    unit = "nats"
    higher_is_better = False

    @property
    def indices(self) -> tuple[int, ...]:
        """Tokens or classes that must exist."""
        return self.ids

    @property
    def positions(self) -> tuple[int, ...]:
        """Output positions as they were stated."""
        return tuple(range(len(self.ids))) if self.at is None else self.at

    def places(self, length: int) -> list[int]:
        """The output positions that it reads, from 0."""
        return [place % length for place in self.positions]

    def check(self, resumable: CausalNetwork, length: int) -> None:
        """Check as `Metric.check` does, and that there is a token for each position.

        Raises:
            CausalError: one does not exist, or the numbers differ.
        """
        if not self.ids or len(self.positions) != len(self.ids):
            raise CausalError("A loss needs at least one token, and as many positions as tokens.")
        super().check(resumable, length)

    def measure(self, logits: Tensor) -> Tensor:
        """`(row, place, column)` -> `(row,)`."""
        right = torch.tensor(self.ids, device=logits.device)[None, :, None].expand(len(logits), -1, 1)
        return -logits.log_softmax(dim=-1).gather(2, right)[..., 0].mean(dim=-1)


def evaluate(resumable: CausalNetwork, hidden: Tensor, metric: Metric) -> Tensor:
    """Compute a metric of every row of hidden states `(row, output, d_model)`: `(row,)` float64."""
    places = metric.places(hidden.shape[1])
    read = hidden[:, places]  # (row, place, d_model)
    wide = resumable.columns if metric.columns is None else len(metric.columns)
    step = max(1, PROJECTED // (wide * len(places)))
    parts = [metric.measure(resumable.logits(part, metric.columns)) for part in read.split(step)]
    return torch.cat(parts).double()


def output_logits(resumable: CausalNetwork, hidden: Tensor, metric: Metric) -> Tensor:
    """All logits at the positions that a metric reads, `(row, place, column)`."""
    return resumable.logits(hidden[:, metric.places(hidden.shape[1])])


def preferred(resumable: CausalNetwork, hidden: Tensor, never: Sequence[int] = ()) -> int:
    """The token or class with the largest logit at the last output position of one run."""
    logits = resumable.logits(hidden[:1, -1])[0].clone()
    logits[list(never)] = -torch.inf
    return int(logits.argmax())
