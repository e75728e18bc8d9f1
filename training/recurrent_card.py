"""Write the shipped folder of a trained recurrent network: weights, and a card of measured figures."""

from collections.abc import Collection
from pathlib import Path

import torch
from torch import nn

from model.data.corpus import Corpus
from model.networks.recurrent_config import VARIANTS
from model.recurrent_translator import RecurrentTranslator
from model.text.tokenizer import Tokenizer

from .card import held_out_card, translation_page, write_first_card, write_scores
from .head_card import write_readable_card
from .optimizer import Recipe
from .split_card import DECODINGS

CELL_NAMES = {"rnn": "tanh cells (Elman 1990)", "lstm": "LSTM cells (Hochreiter and Schmidhuber 1997)"}
READ = {
    "forwards": "from the first token to the last",
    "backwards": "from the last token to the first (the reversed source of Sutskever et al. 2014)",
    "both": "in both directions, and the two states of a token are concatenated",
}
BETWEEN = {
    "none": "The decoder starts from the encoder's last state and receives nothing else of the source (Sutskever et\n"
    "al. 2014).",
    "additive": "The decoder attends to the encoder's states with the additive score v tanh(W s + U h) of\n"
    "Bahdanau et al. (2015); the query is its state before the step, and the context vector enters the cell.",
    "dot": "The decoder attends to the encoder's states with the dot product of Luong et al. (2015); the query is its\n"
    "state after the step, and the output layer reads tanh(W [c; s]), without input feeding.",
}


def finish_recurrent(
    folder: Path, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe, network: nn.Module, device: torch.device
) -> None:
    """Write the weights in half precision, evaluate them as written, and write the card."""
    write_first_card(folder, network, tokenizer.path, corpus, recipe)
    evaluate_recurrent(folder, corpus, str(device))


def evaluate_recurrent(
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
    translator = RecurrentTranslator.load(folder, device)
    epoch = sum(
        len(translator.tokenizer.encode(french)) + 1 for _, french in corpus.train
    )  # tokens of the targets, `</s>` too
    training = card["training"]
    training["tokens_per_second"] = round(epoch * training["epochs"] / max(1, 60 * training["minutes"]))
    write_scores(card, translator, folder, corpus, device, decodings)
    write_readable_card(folder, card_markdown)
    return card


def card_markdown(card: dict, sizes: dict, heads: str = "") -> str:
    """The readable card, from `card.json` and `config.json`."""
    kind = next((name for name, values in VARIANTS.items() if values.items() <= sizes.items()), "recurrent network")
    evaluation = card["evaluation"]
    what = f"""An encoder and a decoder of {CELL_NAMES[sizes["cell"]]}, one layer each:
{sizes["encoder_width"]} units in each direction of the encoder, {sizes["decoder_width"]} in the decoder. The encoder
reads {READ[sizes["reads"]]}.
{BETWEEN[sizes["alignment"]]}
Source, target and output layer share one embedding of width {sizes["d_model"]} for {sizes["vocabulary_size"]:,} joint
SentencePiece tokens, those of `assets/translator`. {card["parameters"]:,} parameters, stored in half precision
({card["weights_bytes"] / 1e6:.1f} MB)."""
    speed = (
        f"\n- {card['training']['tokens_per_second']:,} target tokens a second in training; "
        f"{evaluation['greedy']['tokens_per_second']:,} a second when decoding greedily in batches"
    )
    return translation_page(f"English-French translator {kind}", what, card, sizes, heads, speed)
