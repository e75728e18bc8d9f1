"""Doubt about a translation: tokens of low probability, and whether the mean over all tokens is low.

Both thresholds are chosen on validation sentences: `python -m training doubt` measures them and writes
`doubt.json` next to the weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..runtime.checkpoint import AlteredFileError, CheckpointError, read_json
from ..text.tokenizer import Tokenizer

FILE = "doubt.json"


@dataclass(frozen=True)
class DoubtThresholds:
    """Probabilities below which a token, and the mean of a translation, count as low."""

    token: float
    """Of a token."""
    mean: float
    """Of the mean over the tokens of a translation; see `mean_probability`."""
    figures: dict[str, Any]
    """The content of `doubt.json`: what was measured on validation and on held-out sentences."""

    @classmethod
    def load(cls, folder: Path, weights_sha256: str) -> "DoubtThresholds | None":
        """Read `doubt.json` in a model's folder; None if it was not measured on these weights.

        Raises:
            AlteredFileError: the file ships and was altered.
        """
        try:
            figures = read_json(folder / FILE)
            chosen = figures["thresholds"]
            thresholds = float(chosen["token"]), float(chosen["mean"])
        except AlteredFileError:
            raise
        except (CheckpointError, KeyError, TypeError, ValueError):
            return None
        return cls(*thresholds, figures) if figures.get("weights_sha256") == weights_sha256 else None


class MeasuredDoubt:
    """A trained network with thresholds in its folder."""

    folder: Path
    weights_sha256: str

    @cached_property
    def doubt_thresholds(self) -> DoubtThresholds | None:
        """Probabilities that count as low; None if they were not measured on these weights.

        Raises:
            AlteredFileError: the file ships and was altered.
        """
        return DoubtThresholds.load(self.folder, self.weights_sha256)


@dataclass(frozen=True)
class Doubt:
    """Where a translation is doubtful."""

    text: str  # the translation
    # the doubtful parts of `text`, in order: first character and the one after the last
    spans: tuple[tuple[int, int], ...] = ()
    mean: float = math.nan  # see `mean_probability`; NaN where nothing is known
    is_low: bool = False  # whether the mean is below its threshold


def mean_probability(probabilities: Sequence[float] | np.ndarray) -> float:
    """Compute the geometric mean of the tokens' probabilities, e^(mean ln p); NaN without a token."""
    values = np.asarray(probabilities, dtype=np.float64)
    if not len(values):
        return math.nan
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(values).mean()))


def find_doubt(
    tokenizer: Tokenizer, ids: Sequence[int], probabilities: Sequence[float], thresholds: DoubtThresholds | None
) -> Doubt:
    """Find the doubtful tokens of a translation.

    Args:
        ids: its tokens, `</s>` included if it was reached.
        probabilities: of each, given those before it.
        thresholds: None, as of a network on which nothing was measured, finds nothing.

    Raises:
        ValueError: another number of probabilities.
    """
    if len(ids) != len(probabilities):
        raise ValueError(f"{len(ids)} tokens have {len(probabilities)} probabilities; give one for each.")
    text = tokenizer.decode(ids)
    if thresholds is None:
        return Doubt(text)
    spans: list[tuple[int, int]] = []
    pending = False  # a byte of the next character is doubtful
    for (start, end), probability in zip(tokenizer.spans(ids), probabilities, strict=True):
        pending |= probability < thresholds.token
        if end == start:
            continue
        if pending and spans and text[spans[-1][1] : start].strip() == "":
            spans[-1] = (spans[-1][0], end)  # one stretch of several tokens
        elif pending:
            spans.append((start, end))
        pending = False
    mean = mean_probability(probabilities)
    return Doubt(text, tuple(spans), mean, mean < thresholds.mean)
