"""Write the shipped folder of a trained decoder-only network: weights, and a card of measured figures."""

import math
from collections.abc import Collection
from pathlib import Path

import torch
from torch import nn

from model.data.corpus import Corpus
from model.data.near_duplicates import without_near_duplicates
from model.language_model import LanguageModel
from model.runtime.checkpoint import read_json, write_json
from model.text.tokenizer import Tokenizer

from .card import held_out_card, translation_page, write_first_card, write_scores
from .head_card import write_readable_card
from .language import LanguageTask
from .optimizer import Recipe
from .split_card import DECODINGS, DISTINCT


def finish_language(
    folder: Path,
    tokenizer: Tokenizer,
    corpus: Corpus,
    recipe: Recipe,
    source_weight: float,
    network: nn.Module,
    device: torch.device,
) -> None:
    """Write the weights in half precision, evaluate them as written, and write the card."""
    write_first_card(folder, network, tokenizer.path, corpus, recipe)
    card = read_json(folder / "card.json")
    card["training"]["source_weight"] = source_weight
    write_json(folder / "card.json", card)
    evaluate_language(folder, corpus, str(device))


def evaluate_language(
    folder: Path, corpus: Corpus, device: str = "auto", decodings: Collection[str] = DECODINGS
) -> dict:
    """Score the network in `folder`, and write `card.json` and `card.md` anew.

    Args:
        decodings: see `training.card.evaluate_translator`.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: see `training.card.evaluate_translator`.
    """
    card = held_out_card(folder, corpus)
    model = LanguageModel.load(folder, device)
    write_scores(card, model, folder, corpus, device, decodings)
    distinct = without_near_duplicates(corpus.heldout, corpus.outside_test)
    parts = {"test": corpus.heldout, DISTINCT: distinct, "validation": corpus.validation}
    card["evaluation"]["english_nll"] = {name: english_nll(model, part) for name, part in parts.items() if part}
    write_json(folder / "card.json", card)
    write_readable_card(folder, card_markdown)
    return card


def english_nll(model: LanguageModel, sentences: dict[str, list[str]]) -> float:
    """Mean -ln p per token of English sentences, of the tokens after the first and `</s>`, in nats."""
    task = LanguageTask(model.network, model.tokenizer, Corpus([], sentences, ""), Recipe())
    return task.validate(model.network, model.device)["english_nll"]


def card_markdown(card: dict, sizes: dict, sections: str = "") -> str:
    """The readable card, from `card.json` and `config.json`; `sections` contain other studies."""
    layers, heads, width, inner = (sizes[name] for name in ("n_layers", "n_heads", "d_model", "d_ff"))
    megabytes = card["weights_bytes"] / 1e6
    what = f"""A decoder-only Transformer as GPT-2: {layers} pre-norm layers, {heads} heads, d_model {width},
d_ff {inner}, learned positions for {sizes["max_positions"]} tokens. It reads `English </s> French </s>` as one sequence
with loss on both sides, so it continues English text and translates it. It has {sizes["vocabulary_size"]:,} joint
SentencePiece tokens, those of `assets/translator`, and {card["parameters"]:,} parameters, stored in half precision
({megabytes:.1f} MB)."""
    more = f"\n- Loss of the English tokens times {card['training']['source_weight']:g}"
    losses = card["evaluation"]["english_nll"]
    evaluation = card["evaluation"]
    counts = {name: evaluation.get(name, evaluation)["sentences"] for name in losses}  # those of "test" are of all
    rows = "\n".join(
        f"| {name} | {counts[name]:,} | {loss:.3f} | {math.exp(loss):.1f} |" for name, loss in losses.items()
    )
    english = f"""### English

For every token after the first of a sentence, and for `</s>`, given the tokens before it:

| sentences | number | -ln p per token | perplexity |
| --- | --- | --- | --- |
{rows}

"""
    return translation_page("English-French language model", what, card, sizes, english + sections, more)
