"""What was measured of the decoder-only network on the held-out sentences, beside the translator.

`python -m training one-stack` measures it and writes `FILE` next to the network's weights, with the hashes of
both networks. This module reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..language_model import SHIPPED
from ..runtime.checkpoint import read_json, read_measured
from .network_comparison import TRANSFORMER, AlignmentRate, BootstrapInterval
from .one_stack import HeadMeasures

FILE = "one_stack.json"
DECODER_ONLY = "decoder-only"
BOTH = (TRANSFORMER, DECODER_ONLY)
_TABLES = ("source", "first", "copied", "error")  # of `HeadMeasures`, `(layer, head)`


@dataclass(frozen=True, eq=False)
class OneStackStudy:
    """Figures of the decoder-only network over held-out sentences."""

    weights_sha256: dict[str, str]  # network of `BOTH` -> the hash of its weights
    sentences: int  # that were translated greedily
    # `bleu`, `chrf`: of all of them
    bleu: BootstrapInterval
    chrf: BootstrapInterval
    step: BootstrapInterval  # BLEU less that of the translator, over the same resampled sentences
    whole: float  # BLEU computed again from the counts of n-grams, without sacreBLEU
    # error of attention to English in the last layer, mean of heads, over the second half of sentences
    alignment: AlignmentRate
    alignment_head: AlignmentRate  # the same of `head`
    head: tuple[int, int]  # layer and head, from 0, with the lowest error over the first half
    alignment_sentences: int  # in the second half
    heads: HeadMeasures  # measures of every head over the second half
    # `causal`, `prefix`: -ln p per French token under the causal mask and under a prefix mask, over the second half
    causal: BootstrapInterval
    prefix: BootstrapInterval
    prefix_change: BootstrapInterval  # their difference over the same resampled sentences
    # network of `BOTH` -> target tokens a second, decoding greedily in batches, in the same run
    tokens_per_second: dict[str, float]
    facts: dict  # conditions of the measurement

    def to_dict(self) -> dict:
        """Plain values, for JSON; a measure that does not exist is None."""
        heads = {name: value for name, value in vars(self.heads).items() if name not in _TABLES}
        tables = {name: _listed(getattr(self.heads, name)) for name in _TABLES}
        return {**asdict(self), "heads": heads | tables, "head": list(self.head)}


def shipped_card() -> dict:
    """Read the card of the network that ships, without its weights.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return read_json(SHIPPED / "card.json")


def load_one_stack(weights_sha256: Mapping[str, str], folder: str | Path = SHIPPED) -> OneStackStudy:
    """Read the figures of the networks in use.

    Args:
        weights_sha256: network of `BOTH` -> the hash of its weights.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    return read_measured(folder, FILE, dict(weights_sha256), "one-stack", _read)


def _read(content: dict) -> OneStackStudy:
    intervals = {name: BootstrapInterval(**content[name]) for name in ("bleu", "chrf", "step", "causal", "prefix")}
    intervals["prefix_change"] = BootstrapInterval(**content["prefix_change"])
    rates = {name: _read_rate(content[name]) for name in ("alignment", "alignment_head")}
    tables = {name: np.array(content["heads"][name], dtype=float) for name in _TABLES}  # None becomes NaN
    heads = HeadMeasures(**content["heads"] | tables)
    return OneStackStudy(**content | intervals | rates | {"heads": heads, "head": tuple(content["head"])})


def _read_rate(content: dict) -> AlignmentRate:
    return AlignmentRate(**{name: BootstrapInterval(**band) for name, band in content.items()})


def _listed(table: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in table]
