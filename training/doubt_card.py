"""The section of a translator's card on doubtful tokens and translations, from what `doubt_study` measured."""

from collections.abc import Callable
from pathlib import Path

from model.decoding.doubt import DoubtThresholds
from model.runtime.checkpoint import CheckpointError

NAMES = {"validation": "validation", "heldout": "held out"}


def doubt_section(folder: Path, weights_sha256: str) -> str:
    """Markdown from `doubt.json` in `folder`; empty where there is none for these weights."""
    try:
        thresholds = DoubtThresholds.load(folder, weights_sha256)
    except CheckpointError:
        return ""
    if thresholds is None:
        return ""
    figures = thresholds.figures
    seen = ""
    if figures["trained_on_validation"]:
        seen = """
These weights were trained on the validation sentences, which were set apart only later, so their probabilities are
higher there than on new ones. See the row of the held-out sentences, on which nothing was chosen.
"""
    return f"""## Doubt

The app underlines tokens with a probability below {thresholds.token:g}, and shows a note where the geometric mean of a
translation's tokens is below {thresholds.mean:g}. All sentences are translated greedily; BLEU is against all of their
translations. Both were chosen on {figures["validation"]["sentences"]:,} validation
sentences. The first makes the fewest errors when tokens below it count as wrong and others as
right; a token is right if a reference contains it. The second splits the sentences best into two groups by chrF (least
squares within both groups).
{seen}
| sentences | number | tokens underlined | of these in a reference | of the others |
| --- | --- | --- | --- | --- |
{_rows(figures, _tokens)}

| sentences | mean below {thresholds.mean:g} | their BLEU | others | their BLEU |
| --- | --- | --- | --- | --- |
{_rows(figures, _means)}

Measured on {figures["hardware"]}.

"""


def _rows(figures: dict, cells: Callable[[dict], str]) -> str:
    return "\n".join(f"| {name} | {cells(figures[split])} |" for split, name in NAMES.items())


def _tokens(split: dict) -> str:
    below, above = split["tokens"]["below"], split["tokens"]["above"]
    total = below["tokens"] + above["tokens"]
    right = [_share(part["in_reference"], part["tokens"]) for part in (below, above)]
    return f"{split['sentences']:,} | {below['tokens']:,} ({_share(below['tokens'], total)}) | {right[0]} | {right[1]}"


def _means(split: dict) -> str:
    return " | ".join(_part(split["means"][part]) for part in ("below", "above"))


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "none"


def _part(part: dict) -> str:
    return f"{part['sentences']:,} | {part['bleu']:.2f}" if part["sentences"] else "0 | none"
