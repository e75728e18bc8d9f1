"""What the heads of the shipped networks do over many held-out inputs, measured once and shipped with the weights."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..runtime.checkpoint import read_measured
from .head_labels import HeadLabel, HeadScores
from .head_measures import HeadMeasurements

FILE = "heads.json"


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and standard deviation over the inputs, `(layer, head)` float64 each."""

    mean: np.ndarray
    sd: np.ndarray

    def to_dict(self) -> dict:
        """As lists with five decimals, for JSON."""
        return {name: np.round(getattr(self, name), 5).tolist() for name in ("mean", "sd")}

    @classmethod
    def from_dict(cls, values: dict) -> "Spread":
        """Read back what `to_dict` wrote."""
        return cls(np.array(values["mean"], dtype=np.float64), np.array(values["sd"], dtype=np.float64))


@dataclass(frozen=True, eq=False)
class KindStatistics:
    """One kind of attention."""

    scores: dict[str, Spread]  # pattern -> its score over the inputs that have it; see `model.attribution.head_labels`
    chance: dict[str, float]  # pattern -> the mean score of uniform attention over the same inputs
    # change of the loss when the head is ablated, in nats: the mean -ln p per token of a translation, or the -ln p of a
    # picture's class. Above 0 the head helps. None where nothing was ablated.
    effect: Spread | None
    measures: dict[str, Spread] = field(default_factory=dict)  # "entropy", "distance"; see `head_measures`

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, and heads of each."""
        return next(iter((self.scores | self.measures).values())).mean.shape

    def label(self, layer: int, head: int) -> HeadLabel:
        """The label that the head's mean scores earn."""
        return HeadScores({name: spread.mean for name, spread in self.scores.items()}, self.chance).label(layer, head)


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """What was measured."""

    weights_sha256: str  # of the weights that it was measured on
    inputs: int  # how many, and `of` what
    of: str
    kinds: dict[str, KindStatistics]  # kind of attention -> its heads
    facts: dict  # how it was measured, for the card

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return {
            "weights_sha256": self.weights_sha256,
            "inputs": self.inputs,
            "of": self.of,
            "facts": self.facts,
            "kinds": {
                kind: {
                    "scores": {name: spread.to_dict() for name, spread in found.scores.items()},
                    "chance": {name: round(value, 5) for name, value in found.chance.items()},
                    "effect": None if found.effect is None else found.effect.to_dict(),
                    "measures": {name: spread.to_dict() for name, spread in found.measures.items()},
                }
                for kind, found in self.kinds.items()
            },
        }


class StatisticsAccumulator:
    """Means and standard deviations of one kind over inputs that come one after another, in float64 (Welford 1962).

    Every input that has a pattern counts the same. The order of the inputs decides the last bits, and nothing else
    does.
    """

    def __init__(self) -> None:
        self._scores: dict[str, _Running] = defaultdict(_Running)
        self._chance: dict[str, _Running] = defaultdict(_Running)
        self._measures: dict[str, _Running] = defaultdict(_Running)
        self._effect = _Running()

    def add(self, measured: HeadMeasurements) -> None:
        """One more input."""
        for name, table in measured.scores.scores.items():
            self._scores[name].add(table)
            self._chance[name].add(np.float64(measured.scores.chance[name]))
        for name, table in measured.measures.items():
            self._measures[name].add(table)
        if measured.effect is not None:
            self._effect.add(measured.effect)

    def statistics(self) -> KindStatistics:
        """Over the inputs so far."""
        return KindStatistics(
            {name: running.spread() for name, running in self._scores.items()},
            {name: float(running.mean) for name, running in self._chance.items()},
            self._effect.spread() if self._effect.count else None,
            {name: running.spread() for name, running in self._measures.items()},
        )


class _Running:
    """Mean and sum of squared distances from it, of the tables so far."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, np.float64(0), np.float64(0)

    def add(self, table: np.ndarray) -> None:
        """One more table, `(layer, head)` float64."""
        self.count += 1
        before = table - self.mean
        self.mean = self.mean + before / self.count
        self.squares = self.squares + before * (table - self.mean)

    def spread(self) -> Spread:
        """Of the tables so far."""
        return Spread(self.mean, np.sqrt(self.squares / self.count))


def load_statistics(folder: str | Path, weights_sha256: str) -> HeadStatistics:
    """Read the statistics that lie beside a network's weights, those in use.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the sentence says what to do.
    """
    return read_measured(folder, FILE, weights_sha256, "head-statistics", _read)


def _read(content: dict) -> HeadStatistics:
    kinds = {
        kind: KindStatistics(
            {name: Spread.from_dict(values) for name, values in found["scores"].items()},
            found["chance"],
            None if found["effect"] is None else Spread.from_dict(found["effect"]),
            {name: Spread.from_dict(values) for name, values in found.get("measures", {}).items()},
        )
        for kind, found in content["kinds"].items()
    }
    return HeadStatistics(content["weights_sha256"], content["inputs"], content["of"], kinds, content["facts"])
