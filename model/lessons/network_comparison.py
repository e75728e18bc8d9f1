"""Figures of the five networks that translate, measured on the same held-out sentences.

`python -m training comparison` measures them and writes `FILE`, which ships and contains the hashes of all five
networks' weights. This module reads it and computes what follows from its figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..networks.recurrent_config import VARIANTS
from ..recurrent_translator import SHIPPED
from ..runtime.checkpoint import read_json, read_measured
from ..translator import SHIPPED as TRANSLATOR

FILE = "comparison.json"
DISTINCT = "without near duplicates"  # name in a card of the test sentences that have none
TRANSFORMER = "transformer"
NETWORKS = (*VARIANTS, TRANSFORMER)  # from the oldest to the newest
ONE_VECTOR = "lstm-vector"
ATTENDING = tuple(name for name in NETWORKS if VARIANTS.get(name, {}).get("alignment", "") not in ("", "none"))
ORDER = 4  # BLEU counts n-grams of one to four words
FEWEST_SENTENCES = 50  # that a group needs to count
LENGTHS = ((1, 5), (6, 10), (11, 15), (16, None))  # words of the source, both ends included


@dataclass(frozen=True)
class BootstrapInterval:
    """A figure over held-out sentences with its 2.5th and 97.5th percentile over resampled sentences."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class BleuCounts:
    """Counts behind BLEU (Papineni et al. 2002, section 2), summed over sentences."""

    # `correct`, `total`: n-grams of one to four words that occur in a reference, and all
    correct: tuple[int, ...]
    total: tuple[int, ...]
    # `length`, `reference`: words of the translations, and of the references nearest in length
    length: int
    reference: int

    def __add__(self, other: BleuCounts) -> BleuCounts:
        return BleuCounts(
            tuple(a + b for a, b in zip(self.correct, other.correct, strict=True)),
            tuple(a + b for a, b in zip(self.total, other.total, strict=True)),
            self.length + other.length,
            self.reference + other.reference,
        )

    @property
    def bleu(self) -> float:
        """0 to 100: the geometric mean of the four precisions times the brevity penalty.

        Without smoothing: 0 where no n-gram of some length is correct.
        """
        if not all(self.correct) or not all(self.total):
            return 0.0
        logarithms = [math.log(right / all_) for right, all_ in zip(self.correct, self.total, strict=True)]
        brevity = min(0.0, 1 - self.reference / self.length)
        return 100 * math.exp(brevity + sum(logarithms) / len(logarithms))


@dataclass(frozen=True)
class LengthGroup:
    """The held-out sentences whose source has between `shortest` and `longest` words."""

    # `shortest`, `longest`: words; None for no limit
    shortest: int
    longest: int | None
    sentences: int  # their number
    bleu: dict[str, BootstrapInterval]  # network -> its BLEU on them
    counts: dict[str, BleuCounts]  # network -> the counts behind this BLEU
    share: dict[str, BootstrapInterval]  # network -> the BLEU of the LSTM with one vector, divided by that network's

    @property
    def enough(self) -> bool:
        """Whether the group has at least `FEWEST_SENTENCES`."""
        return self.sentences >= FEWEST_SENTENCES


@dataclass(frozen=True)
class AlignmentRate:
    """Error of a network's attention against statistical links; see `model.attribution.alignment_error`."""

    generated: BootstrapInterval  # AER by the token that a step generates
    read: BootstrapInterval  # AER by the token that it reads
    recall: BootstrapInterval  # share of the links that are found, by the token that is generated


@dataclass(frozen=True)
class NetworkComparison:
    """Figures of the five networks."""

    weights_sha256: dict[str, str]  # network -> the hash of its weights
    sentences: int  # held-out sentences that were translated greedily
    bleu: dict[str, BootstrapInterval]  # network -> BLEU of all sentences
    # network -> its BLEU less that of the network before it in `NETWORKS`, over the same resampled sentences
    steps: dict[str, BootstrapInterval]
    chrf: dict[str, BootstrapInterval]  # network -> chrF of all sentences
    groups: tuple[LengthGroup, ...]  # BLEU by length
    # network -> change of the share of its BLEU that one vector reaches, from the shortest group to the longest one
    # with enough sentences
    change: dict[str, BootstrapInterval]
    # "lstm-additive", "lstm-dot", "transformer" (last layer, mean of heads) and "transformer-head" (one head) -> the
    # rate
    alignment: dict[str, AlignmentRate]
    alignment_sentences: int  # number of sentences, each with the first of its translations
    head: tuple[int, int]  # layer and head from 0 of "transformer-head", chosen on as many other held-out sentences
    # network -> target tokens a second, decoding greedily in batches; on a CPU with one thread, of its own time
    tokens_per_second: dict[str, float]
    facts: dict  # conditions of the measurement

    @property
    def compared(self) -> tuple[LengthGroup, LengthGroup]:
        """The shortest group and the longest one that have enough sentences."""
        enough = [group for group in self.groups if group.enough]
        return enough[0], enough[-1]

    def whole(self, network: str) -> float:
        """BLEU of all sentences, from the counts of the groups."""
        first, *others = (group.counts[network] for group in self.groups)
        return sum(others, start=first).bleu

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingDifferences:
    """What differs between the networks besides their kind, from a network's card."""

    parameters: int  # their number
    # `epochs`, `minutes`: length of the training
    epochs: int
    minutes: float
    muon: bool  # whether Muon trained the matrices inside the layers; AdamW trained everything else, or everything
    average_decay: float  # of the averaged weights that ship; 0 if the weights of the last step ship
    # order in which the encoder reads the source: "forwards", "backwards", "both", "at once"; "none" without an encoder
    reads: str
    pairs: int  # sentence pairs of the training
    # whether validation sentences, and near duplicates of them and of test sentences, were left out
    has_validation: bool


def training_differences(name: str, card: dict) -> TrainingDifferences:
    """Read them from the card of the network called `name`, of `NETWORKS` or decoder-only.

    Raises:
        KeyError: the card states no training.
    """
    training = card["training"]
    recipe = training["recipe"]
    return TrainingDifferences(
        card["parameters"],
        training["epochs"],
        training["minutes"],
        recipe["matrix_learning_rate"] > 0,
        recipe["average_decay"],
        "at once" if name == TRANSFORMER else VARIANTS[name]["reads"] if name in VARIANTS else "none",
        card["data"]["training_pairs"],
        "split" in card["data"],
    )


def shipped_cards() -> dict[str, dict]:
    """Read the cards without the weights: network of `NETWORKS` -> card.

    Raises:
        CheckpointError: a card is missing or damaged.
    """
    folders = {name: TRANSLATOR if name == TRANSFORMER else SHIPPED / name for name in NETWORKS}
    return {name: read_json(folder / "card.json") for name, folder in folders.items()}


def load_comparison(weights_sha256: Mapping[str, str], folder: str | Path = SHIPPED) -> NetworkComparison:
    """Read the figures of the networks in use.

    Args:
        weights_sha256: network, of `NETWORKS` -> the hash of its weights.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    return read_measured(folder, FILE, dict(weights_sha256), "comparison", _read)


def _read(content: dict) -> NetworkComparison:
    groups = tuple(
        LengthGroup(
            group["shortest"],
            group["longest"],
            group["sentences"],
            _intervals(group["bleu"]),
            {
                name: BleuCounts(**{**counts, "correct": tuple(counts["correct"]), "total": tuple(counts["total"])})
                for name, counts in group["counts"].items()
            },
            _intervals(group["share"]),
        )
        for group in content["groups"]
    )
    alignment = {name: AlignmentRate(**_intervals(rates)) for name, rates in content["alignment"].items()}
    intervals = {name: _intervals(content[name]) for name in ("bleu", "steps", "chrf", "change")}
    read = {"groups": groups, "alignment": alignment, **intervals}
    return NetworkComparison(**{**content, **read, "head": tuple(content["head"])})


def _intervals(values: dict) -> dict[str, BootstrapInterval]:
    return {name: BootstrapInterval(**band) for name, band in values.items()}
