"""Figures of the networks that differ in their positions alone, by length of the sentence and with shuffled positions.

`python -m model.training positions-study` measures them and writes `FILE`, which ships with the hashes of the networks.
This module reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """Figures of sentences with a number of English tokens from `shortest` to `longest`.

    Attributes:
        sentences, pairs: their number, and that of their pairs with each translation.
        loss: kind -> -ln p per token in nats, with its interval over sentences; None without positions for them.
        bleu: kind -> BLEU likewise; None also where it is not claimed.
        loss_over_seeds, bleu_over_seeds: kind -> the mean over seeds, of kinds with several.
    """

    shortest: int
    longest: int
    sentences: int
    pairs: int
    loss: dict[str, BootstrapInterval | None]
    bleu: dict[str, BootstrapInterval | None]
    loss_over_seeds: dict[str, SeedMean]
    bleu_over_seeds: dict[str, SeedMean]


@dataclass(frozen=True)
class PositionComparison:
    """Figures of the networks, by their kinds of positions.

    Attributes:
        weights_sha256: kind -> hash of the weights of its first seed, whose figures are those of single networks.
        lengths: groups, from the shortest sentences to the longest.
        shuffled: kind -> stack of `STACKS` -> increase of -ln p per token when positions are shuffled there.
        longest_tokens: on a side of a pair in training.
        fewest_pairs: below which BLEU is not claimed.
        resamples: of the sentences.
        shuffled_sentences: number of sentences behind `shuffled`.
        hardware: on which all this was measured.
    """

    weights_sha256: dict[str, str]
    lengths: tuple[PositionLengths, ...]
    shuffled: dict[str, dict[str, BootstrapInterval]]
    longest_tokens: int
    fewest_pairs: int
    resamples: int
    shuffled_sentences: int
    hardware: str

    @property
    def kinds(self) -> tuple[PositionKind, ...]:
        """Those that were measured, in the order of `POSITION_KINDS`."""
        return tuple(kind for kind in POSITION_KINDS if kind in self.weights_sha256)

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
    return read_measured(folder, FILE, hashes, COMMAND, _read, some=True)


def _read(content: dict) -> PositionComparison:
    facts, first = content["facts"], content["shown"]
    return PositionComparison(
        content["weights_sha256"],
        tuple(_read_group(group, first) for group in content["groups"]),
        {
            kind: {where: BootstrapInterval(**content["shuffled"][name][where]) for where in STACKS}
            for kind, name in first.items()
        },
        *(facts[name] for name in ("longest_tokens", "fewest_pairs", "resamples", "shuffled_sentences", "hardware")),
    )


def _read_group(group: dict, first: Mapping[str, str]) -> PositionLengths:
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

    return PositionLengths(
        shortest=group["shortest"],
        longest=group["longest"],
        sentences=group["sentences"],
        pairs=group["pairs"],
        loss=figures("loss"),
        bleu=figures("bleu"),
        loss_over_seeds=means("loss"),
        bleu_over_seeds=means("bleu"),
    )
