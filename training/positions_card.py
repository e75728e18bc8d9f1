"""Write the folder of a trained network that differs in its positions: weights, and a card of measured figures."""

from collections.abc import Collection
from pathlib import Path

import torch
from torch import nn

from model.data.corpus import Corpus
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import read_json, write_json
from model.text.tokenizer import Tokenizer

from .card import held_out_card, translation_page, write_first_card, write_scores
from .head_card import write_readable_card
from .optimizer import Recipe
from .split_card import DECODINGS

DESCRIPTIONS = {
    "sinusoidal": "sinusoids, added to the embeddings (Vaswani et al. 2017, section 3.5)",
    "learned": "learned vectors, added to the embeddings (Gehring et al. 2017, section 3.1)",
    "rotary": "rotary (Su et al. 2021): queries and keys of self-attention are rotated by their positions",
    "alibi": "ALiBi (Press et al. 2022): a slope times the distance is subtracted from the scores of self-attention, "
    "in the encoder in both directions",
    "none": "none; only the causal mask of the decoder depends on the order",
}


def finish_positions(
    folder: Path,
    tokenizer: Tokenizer,
    corpus: Corpus,
    recipe: Recipe,
    longest_tokens: int,
    network: nn.Module,
    device: torch.device,
) -> None:
    """Write the weights in half precision, evaluate them as written, and write the card."""
    write_first_card(folder, network, tokenizer.path, corpus, recipe)
    card = read_json(folder / "card.json")
    card["data"]["longest_tokens"] = longest_tokens
    card["data"]["used_pairs"] = count_short_pairs(tokenizer, corpus, longest_tokens)
    write_json(folder / "card.json", card)
    evaluate_positions(folder, corpus, str(device))


def count_short_pairs(tokenizer: Tokenizer, corpus: Corpus, longest_tokens: int) -> int:
    """Number of training pairs with at most so many tokens a side, `<s>` and `</s>` not counted."""
    return sum(all(len(tokenizer.encode(text)) <= longest_tokens for text in pair) for pair in corpus.train)


def evaluate_positions(
    folder: Path, corpus: Corpus, device: str = "auto", decodings: Collection[str] = DECODINGS
) -> dict:
    """Score the network in `folder`, and write `card.json` and `card.md` anew; see `evaluate_translator`.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: see `training.card.evaluate_translator`.
    """
    card = held_out_card(folder, corpus)
    translator = PositionTranslator.load(folder, device)
    card["data"]["used_pairs"] = count_short_pairs(translator.tokenizer, corpus, card["data"]["longest_tokens"])
    write_scores(card, translator, folder, corpus, device, decodings)
    write_readable_card(folder, card_markdown)
    return card


def card_markdown(card: dict, sizes: dict, sections: str = "") -> str:
    """The readable card, from `card.json` and `config.json`; `sections` contain other studies."""
    longest = card["data"]["longest_tokens"]
    what = f"""A small encoder-decoder Transformer that differs from its siblings in its positions alone. Positions:
{DESCRIPTIONS[sizes["positions"]]}. {sizes["n_encoder_layers"]} encoder and {sizes["n_decoder_layers"]} decoder layers,
{sizes["n_heads"]} heads, d_model {sizes["d_model"]}, d_ff {sizes["d_ff"]}. It has {sizes["vocabulary_size"]:,} joint
SentencePiece tokens, those of `assets/translator`, and {card["parameters"]:,} parameters, stored in half precision
({card["weights_bytes"] / 1e6:.1f} MB)."""
    limit = ""
    if sizes["positions"] == "learned":
        limit = f"""
- It has {sizes["max_positions"]} positions: longer sentences are refused, have an empty translation in the scores below
  and no part in the losses, which therefore cannot be compared with those of its siblings"""
    more = f"""
- Trained on the pairs of at most {longest} tokens a side; the figures below are of sentences of all lengths. Those by
  length are in `positions.json` (`python -m training positions-study`){limit}"""
    kind = {"alibi": "ALiBi", "none": "no"}.get(sizes["positions"], sizes["positions"])
    return translation_page(f"English-French translator with {kind} positions", what, card, sizes, sections, more)
