"""The readable card of a network, from `card.json`, `config.json` and the figures of studies beside its weights.

The texts are templates in `training/cards`: one for the cards of networks that translate and one for those of picture
classifiers, one for the description of each network, and one for the block of each study.
"""

import math
import re
from pathlib import Path

from model.lessons.network_comparison import DISTINCT
from model.networks.recurrent_config import VARIANTS
from model.runtime.checkpoint import read_json, write_atomically

from .agreement_study import AGREEMENT
from .doubt_study import DOUBT
from .english_study import ENGLISH_TEXT
from .evaluate import DECODINGS
from .head_study import HEADS
from .map_study import MAPS
from .templates import fill, table_rows
from .unlike_study import UNLIKE
from .vision_scores import AGREEMENT_VISION, BINS, faithfulness_block

STUDIES = (AGREEMENT_VISION, ENGLISH_TEXT, DOUBT, AGREEMENT, UNLIKE, MAPS, HEADS)  # in the order of their blocks
PICTURES = ("vision", "convolution")
POSITIONS = {
    "sinusoidal": "sinusoids, added to the embeddings (Vaswani et al. 2017, section 3.5)",
    "learned": "learned vectors, added to the embeddings (Gehring et al. 2017, section 3.1)",
    "rotary": "rotary (Su et al. 2021): queries and keys of self-attention are rotated by their positions",
    "alibi": "ALiBi (Press et al. 2022): a slope times the distance is subtracted from the scores of self-attention, "
    "in the encoder in both directions",
    "none": "none; only the causal mask of the decoder depends on the order",
}
CELLS = {"rnn": "tanh cells (Elman 1990)", "lstm": "LSTM cells (Hochreiter and Schmidhuber 1997)"}
READS = {
    "forwards": "from the first token to the last",
    "backwards": "from the last token to the first (the reversed source of Sutskever et al. 2014)",
    "both": "in both directions, and the two states of a token are concatenated",
}


def write_readable_card(folder: Path) -> None:
    """Write `card.md` from `card.json`, `config.json` and the other files of the folder that fit the weights."""
    card = read_json(folder / "card.json")
    blocks = [study.block(folder, card) for study in STUDIES]
    text = readable_card(card, read_json(folder / "config.json"), blocks)
    write_atomically(folder / "card.md", text.encode())


def network_kind(card: dict, sizes: dict) -> str:
    """The name of a network's template: "translator", "recurrent", "language", "positions" or one of `PICTURES`."""
    for kind, size in (("convolution", "widths"), ("vision", "patch_size"), ("recurrent", "cell")):
        if size in sizes:
            return kind
    if "n_layers" in sizes:
        return "language"
    return "positions" if "longest_tokens" in card["data"] else "translator"


def readable_card(card: dict, sizes: dict, blocks: list[str]) -> str:
    """The card as Markdown, from `card.json`, `config.json` and the blocks of studies."""
    kind = network_kind(card, sizes)
    values = {
        **card,
        "sizes": sizes,
        "kind": {kind: True},
        "megabytes": card["weights_bytes"] / 1e6,
        "training_lines": fill_training(card["training"]),
    }
    values |= _picture_values(card, sizes, kind) if kind in PICTURES else _translation_values(card, sizes, kind)
    own = [faithfulness_block(card["evaluation"])] if kind in PICTURES else [fill_near_duplicates(card["evaluation"])]
    if kind == "language":
        own.append(fill("perplexity", rows=_perplexity_rows(card["evaluation"])))
    values["what"] = fill(kind, **values)
    values["sections"] = "\n\n".join(block for block in (*own, *blocks) if block)
    return fill("pictures" if kind in PICTURES else "translation", **values) + "\n"


def _translation_values(card: dict, sizes: dict, kind: str) -> dict:
    """The values of `cards/translation.md` and of the description in it, where they are not in `card`."""
    data, evaluation = card["data"], card["evaluation"]
    loss = f" after the last epoch: {card['training']['heldout_nll'][-1]:.3f} on first translations"
    if "heldout_nll" in evaluation:  # older cards have none
        loss = f", by these weights: {loss_text(evaluation)}"
    values = {
        "title": "English-French translator",
        "pairs": pairs_text(data),
        "split": fill("split", split=data.get("split")),
        "loss": loss,
        "limited": kind == "positions" and sizes["positions"] == "learned",
        "scores": _score_rows(evaluation, "bleu:.2f", "chrf:.2f", "seconds:.1f"),
    }
    if kind == "language":
        values["title"] = "English-French language model"
    if kind == "positions":
        name = {"alibi": "ALiBi", "none": "no"}.get(sizes["positions"], sizes["positions"])
        values |= {"title": f"English-French translator with {name} positions"}
        values |= {"described": POSITIONS[sizes["positions"]]}
    if kind == "recurrent":
        name = next((name for name, own in VARIANTS.items() if own.items() <= sizes.items()), "recurrent network")
        values |= {"title": f"English-French translator {name}", "alignment": {sizes["alignment"]: True}}
        values |= {"cells": CELLS[sizes["cell"]], "reads": READS[sizes["reads"]]}
    return values


def _picture_values(card: dict, sizes: dict, kind: str) -> dict:
    """The values of `cards/pictures.md` and of the description in it, where they are not in `card`."""
    training = card["training"]
    rounds = training.get("teacher", {}).get("rounds")
    return {
        "title": "picture classifier" if kind == "vision" else "convolutional picture classifier",
        "unit": "patches" if kind == "vision" else "places of the last maps",
        "widths": ", ".join(map(str, sizes.get("widths", ()))),
        "classes": len(sizes["classes"]),
        "stages": ", then ".join(f"{epochs} epochs at {size} pixels" for size, epochs in training["stages"]),
        "rounds": f"; the same views come again after {rounds} epochs" if rounds else "",
        "earlier": "\n".join(f"- Until epoch {end}: {what}" for end, what in training.get("earlier", [])),
        "reading": ", ".join(f"{100 * share:.1f} % at {size}" for size, share in training.get("reading", [])),
        "bins": BINS,
        "shares": table_rows([name, f"{100 * share:.1f} %"] for name, share in card["evaluation"]["classes"].items()),
    }


def fill_training(training: dict) -> str:
    """The lines of a card on hardware, time and recipe, which all networks have."""
    recipe = training["recipe"]
    optimiser = f"AdamW, peak rate {recipe['learning_rate']:g}"
    if recipe["matrix_learning_rate"]:
        optimiser += f", and Muon for the layers' weight matrices, peak rate {recipe['matrix_learning_rate']:g}"
    restarts = [
        fill("restart", **restart, plural="es" * (restart["processes"] > 1)) for restart in training.get("restarts", [])
    ]
    averages = training.get("averages", [[0, recipe["average_decay"]]])
    averaged = [
        (f"after epoch {after} " if after else "") + (f"averaged with decay {decay}" if decay else "not averaged")
        for after, decay in averages
    ]
    texts = {
        "hardware": re.sub(r"\b1 cores\b", "1 core", "; ".join(training["hardware"])),
        "torch": ", ".join(training["torch"]),
        "optimiser": optimiser,
        "fall": "along a cosine" if recipe.get("schedule") == "cosine" else "linearly",
        "planned": ", ".join(f"{end} from epoch {first} on" for first, end in training["schedule"]),
        "restarts": "\n".join(restarts),
        "averaged": "; ".join(averaged),
    }
    return fill("training", **(training | texts))


def fill_near_duplicates(evaluation: dict) -> str:
    """Markdown on test sentences that resemble training sentences; empty for an older card."""
    if "near_duplicates" not in evaluation:
        return ""
    near, total, distinct = evaluation["near_duplicates"], evaluation["sentences"], evaluation[DISTINCT]
    validation = evaluation.get("validation")
    return fill(
        "near_duplicates",
        near=_share(near["sentences"], total),
        trained=_share(near["trained_references"], evaluation["references"]),
        holders=_share(near["sentences_with_trained_reference"], total),
        one_word_apart=_share(near["one_word_apart"], total),
        distinct=distinct,
        scores=_score_rows(distinct, "bleu:.2f", "chrf:.2f"),
        distinct_loss=loss_text(distinct) if distinct else "",
        validation=validation,
        validation_loss=loss_text(validation) if validation else "",
    )


def _score_rows(figures: dict, *columns: str) -> str:
    """A row for each decoding, with the scores in these columns: their names with their formats."""
    cells = " | ".join(f"{{{column}}}" for column in columns)
    return table_rows([name, cells.format(**figures[name])] for name in DECODINGS if name in figures)


def _perplexity_rows(evaluation: dict) -> str:
    losses = evaluation["english_nll"]
    counts = {name: evaluation.get(name, evaluation)["sentences"] for name in losses}  # those of "test" are of all
    return table_rows(
        [name, f"{counts[name]:,}", f"{loss:.3f}", f"{math.exp(loss):.1f}"] for name, loss in losses.items()
    )


def pairs_text(data: dict) -> str:
    """How many pairs a network was trained on, and of how many, where longer ones were left out."""
    pairs = data["training_pairs"]
    if data.get("used_pairs", pairs) == pairs:
        return f"{pairs:,} pairs to train on"
    longest = data["longest_tokens"]
    return f"{data['used_pairs']:,} pairs to train on: those of at most {longest} tokens a side, of {pairs:,}"


def loss_text(figures: dict) -> str:
    """-ln p per token with the translations that it was measured on; an older card has the first ones alone."""
    first = f"{figures['heldout_nll']:.3f} on first translations"
    if "nll" not in figures:
        return first
    scored, every = figures["scored"], "all translations"
    if scored < figures["references"]:
        every = f"the {scored:,} of {figures['references']:,} translations that it has positions for"
        first += " among these"
    return f"{figures['nll']:.3f} on {every} ({first})"


def _share(count: int, total: int) -> str:
    """A count of a total with its percentage, as text."""
    return f"{count:,} of {total:,} ({100 * count / total:.1f} %)"
