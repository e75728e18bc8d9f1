"""The readable model card, and its sections on text that is not English and on the heads."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..attribution.head_labels import MIXED, PICTURES, TEXT
from ..attribution.head_statistics import KindStatistics, load_statistics
from ..runtime.checkpoint import CheckpointError, read_json, write_atomically
from ..text.english import MEASURED, SIGNS
from .map_card import map_section


def write_readable_card(folder: Path, markdown: Callable[[dict, dict, str], str]) -> None:
    """Write `card.md` from `card.json`, `config.json` and the other files of the folder that fit the weights.

    `markdown` formats the card, the sizes and the sections on text that is not English and on the heads.
    """
    card = read_json(folder / "card.json")
    weights = card["weights_sha256"]
    sections = english_section(folder, card.get("tokenizer_sha256", ""))
    sections += map_section(folder, weights) + head_section(folder, weights)
    text = markdown(card, read_json(folder / "config.json"), sections)
    write_atomically(folder / "card.md", text.encode())


def english_section(folder: Path, tokenizer_sha256: str) -> str:
    """Markdown from `english.json` in `folder`; empty where there is none for this tokenizer."""
    try:
        counted = read_json(folder / MEASURED)
    except CheckpointError:
        return ""
    if counted.get("tokenizer_sha256") != tokenizer_sha256:
        return ""
    odds, letters = (counted["thresholds"][name] for name in ("log_odds", "spelling"))
    groups = {f"English, {name}": counts for name, counts in counted["english"].items()} | counted["foreign"]
    rows = "\n".join(_counts_line(name, counts) for name, counts in groups.items())
    return f"""## Text that is not English

The app warns of it, and translates it all the same. Three signs, explained in `model/text/english.py`: another script,
tokens of the French side (log-odds below {odds:g} nats), and spelling (median word below {letters:g} nats a letter).
Asked about sentences that nothing was counted on:

| sentences | number | warned of | script | French tokens | spelling |
| --- | --- | --- | --- | --- | --- |
{rows}

"""


def _counts_line(name: str, counts: dict[str, int]) -> str:
    warned = sum(counts[sign] for sign in SIGNS)
    share = f"{100 * warned / counts['sentences']:.2f} %" if counts["sentences"] else "none asked"
    return f"| {name} | {counts['sentences']:,} | {share} | " + " | ".join(str(counts[sign]) for sign in SIGNS) + " |"


def head_section(folder: Path, weights_sha256: str) -> str:
    """Markdown from `heads.json` in `folder`; empty where there is none for these weights."""
    try:
        stats = load_statistics(folder, weights_sha256)
    except CheckpointError:
        return ""
    lines = "\n".join(
        _line(kind, table, layer, head)
        for kind, table in stats.kinds.items()
        for layer, head in np.ndindex(*table.shape)
    )
    vision = "vision" in stats.kinds
    rule = PICTURES if vision else TEXT
    unit = "-ln p of the right class" if vision else "mean -ln p per token of each sentence's first translation"
    linked = ""
    if not vision:
        linked = f"""

`aligned` compares with a statistical word alignment (`model/text/word_alignment.py`) learned from the training pairs
without any network; it links {100 * stats.facts["linked"]:.0f} % of the French tokens."""
    return f"""## What the heads do

Over {stats.inputs} {stats.of}, means ± standard deviations: the pattern with its score (the share of attention on it)
and what uniform attention would score; and the change of the loss when the head alone is ablated, above 0 where the
head helps. The loss is the {unit}, in nats.

A label needs a score of at least {rule.least:g} and {rule.times:g} times that of uniform attention; `diffuse`
an entropy of at least {rule.spread:g} of the largest possible; else it is `{MIXED}`, shown with the best pattern.
Definitions: `model/attribution/head_labels.py`. Measured on {stats.facts["hardware"]}.{linked}

| head | label | score | uniform | change of the loss |
| --- | --- | --- | --- | --- |
{lines}

"""


def _line(kind: str, table: KindStatistics, layer: int, head: int) -> str:
    label = table.label(layer, head)
    name = label.name if label.name != MIXED else f"{MIXED} ({label.pattern})"
    score, effect = table.scores[label.pattern], table.effect
    assert effect is not None, "the study of a shipped network ablates its heads"
    return (
        f"| {kind} {layer + 1}.{head + 1} | {name} | {score.mean[layer, head]:.2f} ± {score.sd[layer, head]:.2f} | "
        f"{label.chance:.2f} | {effect.mean[layer, head]:+.4f} ± {effect.sd[layer, head]:.4f} |"
    )
