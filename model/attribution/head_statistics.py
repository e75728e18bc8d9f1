"""What the heads of the shipped networks do over many held-out inputs, measured once and shipped with the weights."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..runtime.checkpoint import read_measured
from .head_labels import HeadScores, Label

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
    # picture's class. Above 0 the head helps.
    effect: Spread

    def label(self, layer: int, head: int) -> Label:
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
                    "effect": found.effect.to_dict(),
                }
                for kind, found in self.kinds.items()
            },
        }


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
            Spread.from_dict(found["effect"]),
        )
        for kind, found in content["kinds"].items()
    }
    return HeadStatistics(content["weights_sha256"], content["inputs"], content["of"], kinds, content["facts"])
