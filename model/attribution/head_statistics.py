"""Statistics of the heads of the shipped networks over many held-out inputs, shipped with the weights."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..runtime.checkpoint import read_measured
from ..tracing.kinds import AttentionKind
from .head_labels import HeadLabel, HeadScores, entropies
from .vision_analysis import attention_distance

# Entropy and distance of every head's attention on one input, in addition to the patterns.
#
# entropy mean over queries of - sum over keys k of a[q, k] ln a[q, k], in nats distance mean over queries of sum over
# keys k of a[q, k] |q - k|, in tokens, or between the middles of patches in pixels (Dosovitskiy et al. 2021, section
# 4.5)
#
# Both are over the queries that have a choice, as the patterns are: at least two keys that are not masked. In cross-
# attention row t generates token t, so its position is t. For pictures the queries are the patches.

ENTROPY, DISTANCE = "entropy", "distance"


@dataclass(frozen=True, eq=False)
class HeadMeasurements:
    """Measurements of all heads of one kind on one input."""

    scores: HeadScores  # of every pattern; see `model.attribution.head_labels`
    # `(layer, head)` float64, increase of the loss when the head is ablated, in nats; None if nothing was ablated
    effect: np.ndarray | None
    # "entropy" and "distance" -> `(layer, head)` float64; empty if no query has a choice
    measures: dict[str, np.ndarray] = field(default_factory=dict)


def text_measures(weights: np.ndarray, kind: AttentionKind) -> dict[str, np.ndarray]:
    """Compute both measures of `(layer, head, query, key)` weights of a text, `(layer, head)` float64 each."""
    queries, keys = weights.shape[2:]
    rows, columns = np.arange(queries)[:, None], np.arange(keys)[None]
    free = np.minimum(np.arange(1, queries + 1), keys) > 1 if kind.causal else np.full(queries, keys > 1)
    if not free.any():
        return {}
    selected = weights[:, :, free].astype(np.float64)  # (layer, head, query, key)
    sums = np.maximum(selected.sum(axis=-1), np.finfo(np.float64).tiny)  # below 1 if a sink takes a share
    distance = (selected * np.abs(rows - columns)[free]).sum(axis=-1) / sums  # (layer, head, query)
    return {ENTROPY: entropies(selected).mean(axis=-1), DISTANCE: distance.mean(axis=-1)}


def picture_measures(attention: np.ndarray, grid: tuple[int, int], patch_size: float) -> dict[str, np.ndarray]:
    """Compute both measures of a picture's maps, `(layer, head)` float64 each.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`, CLS first; without the 1 of a network that has no CLS.
        grid: rows and columns of patches.
        patch_size: pixels a side.
    """
    leading = attention.shape[2] - grid[0] * grid[1]
    among = entropies(attention[:, :, leading:].astype(np.float64))  # (layer, head, patch)
    return {ENTROPY: among.mean(axis=-1), DISTANCE: attention_distance(attention, grid, patch_size)}


FILE = "heads.json"


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and standard deviation over the inputs, `(layer, head)` float64 each."""

    mean: np.ndarray
    sd: np.ndarray

    def to_dict(self) -> dict:
        """Convert to lists, for JSON."""
        return {name: getattr(self, name).tolist() for name in ("mean", "sd")}

    @classmethod
    def from_dict(cls, values: dict) -> "Spread":
        """Create from what `to_dict` returned."""
        return cls(np.array(values["mean"], dtype=np.float64), np.array(values["sd"], dtype=np.float64))


@dataclass(frozen=True, eq=False)
class KindStatistics:
    """Statistics of one kind of attention."""

    scores: dict[str, Spread]  # pattern -> its score over the inputs that have it; see `model.attribution.head_labels`
    chance: dict[str, float]  # pattern -> the mean score of uniform attention over the same inputs
    # change of the loss when the head is ablated, in nats: the mean -ln p per token of a translation, or the -ln p of a
    # picture's class. Above 0 the head helps. None if nothing was ablated.
    effect: Spread | None
    measures: dict[str, Spread] = field(default_factory=dict)  # "entropy", "distance"; see `head_measures`

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, and heads of each layer."""
        layers, heads = next(iter((self.scores | self.measures).values())).mean.shape
        return layers, heads

    def label(self, layer: int, head: int) -> HeadLabel:
        """Return the label of the head's mean scores."""
        return HeadScores({name: spread.mean for name, spread in self.scores.items()}, self.chance).label(layer, head)


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """Statistics of all kinds of attention of one network."""

    weights_sha256: str  # of the measured weights
    inputs: int  # number of inputs; `of` names them
    of: str
    kinds: dict[str, KindStatistics]  # kind of attention -> its heads
    facts: dict  # conditions of the measurement, for the card

    def to_dict(self) -> dict:
        """Convert to plain values, for JSON."""
        return {
            "weights_sha256": self.weights_sha256,
            "inputs": self.inputs,
            "of": self.of,
            "facts": self.facts,
            "kinds": {
                kind: {
                    "scores": {name: spread.to_dict() for name, spread in statistics.scores.items()},
                    "chance": dict(statistics.chance),
                    "effect": None if statistics.effect is None else statistics.effect.to_dict(),
                    "measures": {name: spread.to_dict() for name, spread in statistics.measures.items()},
                }
                for kind, statistics in self.kinds.items()
            },
        }


class StatisticsAccumulator:
    """Accumulates means and standard deviations of one kind over a sequence of inputs, in float64 (Welford 1962).

    Every input that has a pattern has the same weight. The order of the inputs changes only the last bits.
    """

    def __init__(self) -> None:
        self._scores: dict[str, _Running] = defaultdict(_Running)
        self._chance: dict[str, _Running] = defaultdict(_Running)
        self._measures: dict[str, _Running] = defaultdict(_Running)
        self._effect = _Running()

    def add(self, measured: HeadMeasurements) -> None:
        """Add one input."""
        for name, table in measured.scores.scores.items():
            self._scores[name].add(table)
            self._chance[name].add(np.asarray(measured.scores.chance[name]))
        for name, table in measured.measures.items():
            self._measures[name].add(table)
        if measured.effect is not None:
            self._effect.add(measured.effect)

    def statistics(self) -> KindStatistics:
        """Compute the statistics of the inputs so far."""
        return KindStatistics(
            {name: running.spread() for name, running in self._scores.items()},
            {name: float(running.mean) for name, running in self._chance.items()},
            self._effect.spread() if self._effect.count else None,
            {name: running.spread() for name, running in self._measures.items()},
        )


class _Running:
    """Running mean of tables, and the sum of squared distances from it."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: np.ndarray = np.zeros(())
        self.squares: np.ndarray = np.zeros(())

    def add(self, table: np.ndarray) -> None:
        """Add one table, `(layer, head)` float64."""
        self.count += 1
        difference = table - self.mean
        self.mean = self.mean + difference / self.count
        self.squares = self.squares + difference * (table - self.mean)

    def spread(self) -> Spread:
        """Return mean and standard deviation of the tables so far."""
        return Spread(self.mean, np.sqrt(self.squares / self.count))


def load_statistics(folder: str | Path, weights_sha256: str) -> HeadStatistics:
    """Read the statistics in the folder of a network, for the weights in use.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    return read_measured(folder, FILE, weights_sha256, "head-statistics", _read)


def _read(content: dict) -> HeadStatistics:
    kinds = {
        kind: KindStatistics(
            {name: Spread.from_dict(values) for name, values in statistics["scores"].items()},
            statistics["chance"],
            None if statistics["effect"] is None else Spread.from_dict(statistics["effect"]),
            {name: Spread.from_dict(values) for name, values in statistics.get("measures", {}).items()},
        )
        for kind, statistics in content["kinds"].items()
    }
    return HeadStatistics(content["weights_sha256"], content["inputs"], content["of"], kinds, content["facts"])
