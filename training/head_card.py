"""The readable model card, and its section on the heads."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from model.attribution.head_labels import MIXED, PICTURES, TEXT
from model.attribution.head_statistics import KindStatistics, load_statistics
from model.runtime.checkpoint import CheckpointError, read_json, write_atomically

from .agreement_card import agreement_section
from .doubt_card import doubt_section
from .english_card import english_section
from .map_card import map_section
from .unlike_card import unlike_section


def write_readable_card(folder: Path, markdown: Callable[[dict, dict, str], str]) -> None:
    """Write `card.md` from `card.json`, `config.json` and the other files of the folder that fit the weights.

    `markdown` formats the card, the sizes and the sections on text that is not English and on the heads.
    """
    card = read_json(folder / "card.json")
    weights = card["weights_sha256"]
    sections = english_section(folder, card.get("tokenizer_sha256", ""))
    sections += doubt_section(folder, weights)
    sections += agreement_section(folder, weights) + unlike_section(folder, weights)
    sections += map_section(folder, weights) + head_section(folder, weights)
    text = markdown(card, read_json(folder / "config.json"), sections)
    write_atomically(folder / "card.md", text.encode())


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
