"""Figures of the networks that differ in their positions alone, by length of the sentence and with shuffled positions.

`python -m training positions-study` measures them and writes `FILE`, which ships with the hashes of the networks.
This module reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import position_translator
from ..networks.config import POSITION_KINDS, PositionKind
from ..runtime.checkpoint import read_measured
from .network_comparison import BootstrapInterval
from .position_effects import STACKS

FILE = "positions.json"
COMMAND = "positions-study"


@dataclass(frozen=True)
class SeedMean:
    """Mean over the seeds of one kind, with the 95 % interval of the mean by Student's t, and their number."""

    mean: BootstrapInterval
    seeds: int


@dataclass(frozen=True)
class PositionLengths:
    """Figures of sentences with a number of English tokens from `shortest` to `longest`."""

    shortest: int
    longest: int
    # `sentences`, `pairs`: their number, and that of their pairs with each translation
    sentences: int
    pairs: int
    # kind -> -ln p per token in nats, with its interval over sentences; None without positions for them
    loss: dict[str, BootstrapInterval | None]
    bleu: dict[str, BootstrapInterval | None]  # kind -> BLEU likewise; None also where it is not claimed
    # `loss_over_seeds`, `bleu_over_seeds`: kind -> the mean over seeds, of kinds with several
    loss_over_seeds: dict[str, SeedMean]
    bleu_over_seeds: dict[str, SeedMean]
    # `loss_apart`, `bleu_apart`: kind -> largest difference between its seeds, of kinds with several
    loss_apart: dict[str, float]
    bleu_apart: dict[str, float]


@dataclass(frozen=True)
class Extremes:
    """Which kinds have the lowest and which the highest of a figure, beyond what seeds of one kind differ by."""

    # `lowest`, `highest`: several kinds where the difference between them is smaller; both empty where no order is
    # known
    lowest: tuple[str, ...]
    highest: tuple[str, ...]
    values: dict[str, float]  # kind -> the figure
    apart: float | None  # largest difference between seeds of one kind; None if each was trained once


def find_extremes(values: Mapping[str, float], apart: float | None) -> Extremes:
    """Find the kinds that are apart from the others by more than seeds of one kind differ.

    Args:
        values: kind -> a figure, of at least one kind.
        apart: largest difference between seeds of one kind; None if none has several.
    """
    lowest: tuple[str, ...] = ()
    highest: tuple[str, ...] = ()
    if apart is not None:
        low, high = min(values.values()), max(values.values())
        lowest = tuple(kind for kind, value in values.items() if value - low <= apart)
        highest = tuple(kind for kind, value in values.items() if high - value <= apart)
        if set(lowest) & set(highest):
            lowest = highest = ()
    return Extremes(lowest, highest, dict(values), apart)


@dataclass(frozen=True)
class PositionComparison:
    """Figures of the networks, by their kinds of positions."""

    # kind -> hash of the weights of its first seed, whose figures are those of single networks
    weights_sha256: dict[str, str]
    seeds: dict[str, int]  # kind -> number of its trainings
    lengths: tuple[PositionLengths, ...]  # groups, from the shortest sentences to the longest
    # kind -> stack of `STACKS` -> increase of -ln p per token when positions are shuffled there
    shuffled: dict[str, dict[str, BootstrapInterval]]
    # kind -> stack -> largest difference of that between its seeds, of kinds with several
    shuffled_apart: dict[str, dict[str, float]]
    longest_tokens: int  # on a side of a pair in training
    fewest_pairs: int  # below which BLEU is not claimed
    resamples: int  # of the sentences
    shuffled_sentences: int  # number of sentences behind `shuffled`
    hardware: str  # on which all this was measured

    @property
    def kinds(self) -> tuple[PositionKind, ...]:
        """Those that were measured, in the order of `POSITION_KINDS`."""
        return tuple(kind for kind in POSITION_KINDS if kind in self.weights_sha256)

    @property
    def trained_once(self) -> tuple[PositionKind, ...]:
        """Kinds with one seed: how much another would change their figures is not known."""
        return tuple(kind for kind in self.kinds if self.seeds[kind] == 1)

    @property
    def loss_apart(self) -> float | None:
        """Largest difference of the loss between seeds of one kind at any length; None if none has several."""
        return _largest(apart for group in self.lengths for apart in group.loss_apart.values())

    @property
    def bleu_apart(self) -> float | None:
        """The same of BLEU."""
        return _largest(apart for group in self.lengths for apart in group.bleu_apart.values())

    def loss_extremes(self, group: PositionLengths) -> Extremes | None:
        """The kinds with the lowest and the highest loss at these lengths; None if none has a loss there."""
        values: dict[str, float] = {kind: band.value for kind in self.kinds if (band := group.loss[kind]) is not None}
        return find_extremes(values, self.loss_apart) if values else None

    def shuffled_extremes(self, where: str) -> Extremes:
        """The kinds whose loss increases least and most when positions are shuffled in a stack."""
        apart = _largest(by_stack[where] for by_stack in self.shuffled_apart.values())
        return find_extremes({kind: self.shuffled[kind][where].value for kind in self.kinds}, apart)

    @property
    def longest_claimed(self) -> PositionLengths:
        """The group of the longest sentences with at least `fewest_pairs` pairs."""
        return [group for group in self.lengths if group.pairs >= self.fewest_pairs][-1]

    @property
    def longest_trained(self) -> PositionLengths:
        """The group of the longest sentences that are no longer than those in training."""
        return [group for group in self.lengths if group.longest <= self.longest_tokens][-1]


def shipped_kinds() -> tuple[PositionKind, ...]:
    """Kinds whose network ships, in the order of `POSITION_KINDS`; training writes the card last."""
    folder = position_translator.SHIPPED
    return tuple(kind for kind in POSITION_KINDS if (folder / kind / "card.json").is_file())


def load_position_comparison(
    weights_sha256: Mapping[PositionKind, str], folder: str | Path | None = None
) -> PositionComparison:
    """Read the figures of the networks in use.

    Args:
        weights_sha256: kind -> hash of its weights; the file may lack some of these kinds, and has no others.
        folder: with the file; by default that of the networks that ship.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    folder = folder or position_translator.SHIPPED
    hashes: dict[str, str] = {kind: sha256 for kind, sha256 in weights_sha256.items()}
    return read_measured(folder, FILE, hashes, COMMAND, read_comparison, some=True)


def read_comparison(content: dict) -> PositionComparison:
    """Convert the content of `FILE`."""
    facts, first = content["facts"], content["shown"]
    of_kind: dict[str, list[str]] = {kind: [name] for kind, name in first.items()}
    for name, facts_of in content.get("networks", {}).items():
        if name not in of_kind[facts_of["kind"]]:
            of_kind[facts_of["kind"]].append(name)
    return PositionComparison(
        content["weights_sha256"],
        {kind: len(names) for kind, names in of_kind.items()},
        tuple(_read_group(group, first, of_kind) for group in content["groups"]),
        {
            kind: {where: BootstrapInterval(**content["shuffled"][name][where]) for where in STACKS}
            for kind, name in first.items()
        },
        {
            kind: {
                where: spread
                for where in STACKS
                if (spread := _spread(content["shuffled"][name][where] for name in names)) is not None
            }
            for kind, names in of_kind.items()
            if len(names) > 1
        },
        *(facts[name] for name in ("longest_tokens", "fewest_pairs", "resamples", "shuffled_sentences", "hardware")),
    )


def _largest(values: Iterable[float]) -> float | None:
    return max(values, default=None)


def _spread(figures: Iterable[dict | None]) -> float | None:
    """Largest difference between the figures of seeds; None with fewer than two."""
    values = [figure["value"] for figure in figures if figure is not None]
    return max(values) - min(values) if len(values) > 1 else None


def _read_group(group: dict, first: Mapping[str, str], of_kind: Mapping[str, list[str]]) -> PositionLengths:
    def figures(name: str) -> dict[str, BootstrapInterval | None]:
        values = {kind: group["networks"][network][name] for kind, network in first.items()}
        return {kind: None if value is None else BootstrapInterval(**value) for kind, value in values.items()}

    def means(name: str) -> dict[str, SeedMean]:
        result = {}
        for kind, values in group["seeds"].items():
            if name in values:
                band = {part: values[name][part] for part in ("value", "low", "high")}
                result[kind] = SeedMean(BootstrapInterval(**band), values[name]["seeds"])
        return result

    def apart(figure: str) -> dict[str, float]:
        spreads = {kind: _spread(group["networks"][name][figure] for name in names) for kind, names in of_kind.items()}
        return {kind: spread for kind, spread in spreads.items() if spread is not None}

    return PositionLengths(
        shortest=group["shortest"],
        longest=group["longest"],
        sentences=group["sentences"],
        pairs=group["pairs"],
        loss=figures("loss"),
        bleu=figures("bleu"),
        loss_over_seeds=means("loss"),
        bleu_over_seeds=means("bleu"),
        loss_apart=apart("loss"),
        bleu_apart=apart("bleu"),
    )
