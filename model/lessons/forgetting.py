"""Sizes of the last state's Jacobians by distance, of the two networks with one vector, over held-out sentences.

`python -m training forgetting` measures them and writes `FILE`, which ships and contains the hashes of both
networks' weights. This module reads it and computes what follows from its figures.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..recurrent_translator import SHIPPED
from ..runtime.checkpoint import read_measured

FILE = "forgetting.json"
NETWORKS = {"rnn-vector": ("hidden",), "lstm-vector": ("hidden", "cell")}  # and the states of their encoders
FEWEST = 50  # sentences that a distance needs to count


@dataclass(frozen=True)
class SizeAtDistance:
    """Size of d last state / d input over all sentences that have an input at this distance."""

    sentences: int  # their number
    mean: float  # mean of the sizes
    typical: float  # geometric mean of the sizes, which is robust against a few large ones
    spread: float  # standard deviation of their logarithms to base 10


@dataclass(frozen=True)
class Forgetting:
    """The measured sizes."""

    weights_sha256: dict[str, str]  # network -> hash of its weights
    sentences: int  # their number; `</s>` does not count as an input
    sizes: dict[str, dict[str, tuple[SizeAtDistance, ...]]]  # network -> "hidden" or "cell" -> by distance, from 0
    facts: dict  # conditions of the measurement

    @property
    def farthest(self) -> int:
        """The largest distance with at least `FEWEST` sentences."""
        return max(
            distance
            for of_network in self.sizes.values()
            for sizes in of_network.values()
            for distance, size in enumerate(sizes)
            if size.sentences >= FEWEST
        )

    def retained(self, network: str, state: str) -> float:
        """The mean size at `farthest` as a share of that at distance 0."""
        sizes = self.sizes[network][state]
        return sizes[self.farthest].mean / sizes[0].mean

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return asdict(self)


def load_forgetting(weights_sha256: Mapping[str, str], folder: str | Path = SHIPPED) -> Forgetting:
    """Read the figures of the networks in use.

    Args:
        weights_sha256: network, of `NETWORKS` -> the hash of its weights.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    return read_measured(folder, FILE, dict(weights_sha256), "forgetting", _read)


def _read(content: dict) -> Forgetting:
    sizes = {
        network: {
            state: tuple(SizeAtDistance(**size) for size in by_distance) for state, by_distance in of_network.items()
        }
        for network, of_network in content["sizes"].items()
    }
    return Forgetting(**{**content, "sizes": sizes})
