"""What the two networks with one vector forget, measured over held-out sentences: sizes of Jacobians by distance.

`python -m model.training forgetting` measures and writes `FILE`; it ships, and is bound to the weights of both networks
by their hashes. Here it is read, and what follows from its figures is computed.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..recurrent_translator import SHIPPED
from ..runtime.checkpoint import read_measured

FILE = "forgetting.json"
NETWORKS = {"rnn-vector": ("hidden",), "lstm-vector": ("hidden", "cell")}  # and the states that each hands over
FEWEST = 50  # sentences under which nothing is claimed of a distance


@dataclass(frozen=True)
class SizeAtDistance:
    """The size of d last state / d input over all sentences that have an input so many steps back.

    Attributes:
        sentences: how many those are.
        mean: of the sizes.
        typical: their geometric mean, which a few large ones do not lift.
        spread: standard deviation of their logarithms to base 10.
    """

    sentences: int
    mean: float
    typical: float
    spread: float


@dataclass(frozen=True)
class Forgetting:
    """What was measured.

    Attributes:
        weights_sha256: network -> hash of its weights.
        sentences: how many there were; their `</s>` is not counted.
        sizes: network -> "hidden" or "cell" -> by distance, from 0.
        facts: how it was measured.
    """

    weights_sha256: dict[str, str]
    sentences: int
    sizes: dict[str, dict[str, tuple[SizeAtDistance, ...]]]
    facts: dict

    @property
    def farthest(self) -> int:
        """The largest distance that enough sentences have."""
        return max(
            distance
            for of_network in self.sizes.values()
            for sizes in of_network.values()
            for distance, size in enumerate(sizes)
            if size.sentences >= FEWEST
        )

    def kept(self, network: str, state: str) -> float:
        """The mean size at `farthest` as a share of that at distance 0."""
        sizes = self.sizes[network][state]
        return sizes[self.farthest].mean / sizes[0].mean

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return asdict(self)


def load_forgetting(weights_sha256: Mapping[str, str], folder: str | Path = SHIPPED) -> Forgetting:
    """Read what was measured of the networks in use.

    Args:
        weights_sha256: network, of `NETWORKS` -> the hash of its weights.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the sentence says what to do.
    """
    return read_measured(folder, FILE, dict(weights_sha256), "forgetting", _read)


def _read(content: dict) -> Forgetting:
    sizes = {
        network: {state: tuple(SizeAtDistance(**size) for size in found) for state, found in of_network.items()}
        for network, of_network in content["sizes"].items()
    }
    return Forgetting(**{**content, "sizes": sizes})
