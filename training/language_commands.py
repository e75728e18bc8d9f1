"""The command that trains the decoder-only network."""

import argparse
from functools import partial
from pathlib import Path

from model.language_model import TOKENIZER
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.runtime.checkpoint import sha256_of, write_atomically
from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer

from .language import SOURCE_WEIGHT, LanguageTask
from .language_card import finish_language
from .optimizer import Recipe
from .run_options import (
    PreparedRun,
    add_options_of,
    add_run_options,
    check_out,
    from_options,
    read_split_of,
    run_training,
)

LANGUAGE_RECIPE = Recipe(epochs=16, batch_tokens=4000)
NETWORK_OPTIONS = ("d_model", "n_heads", "n_layers", "d_ff", "dropout")


def add_language_command(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    """Add the command, without the options that all commands on text share."""
    language = commands.add_parser("language", help="train the decoder-only network on the same sentences")
    language.set_defaults(run=_train_language)
    add_run_options(language, LANGUAGE_RECIPE)
    add_options_of(language, DecoderOnlyConfig(), NETWORK_OPTIONS)
    language.add_argument("--epochs", type=int, default=LANGUAGE_RECIPE.epochs, help="default %(default)s")
    language.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    language.add_argument(
        "--source-weight",
        type=float,
        default=SOURCE_WEIGHT,
        help="of the loss of the English tokens, that of the French being 1; default %(default)s",
    )
    return language


def _train_language(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)  # reports errors in the data before any work
    if not 0 <= options.source_weight <= 1:
        raise ValueError(f"source_weight is {options.source_weight}; it must be from 0 to 1.")
    check_out(options)
    recipe = from_options(Recipe, options)
    tokenizer = Tokenizer(options.tokenizer)
    config = from_options(DecoderOnlyConfig, options, vocabulary_size=len(tokenizer))

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and sha256_of(options.tokenizer) != sha256_of(TOKENIZER):
            write_atomically(options.out / "tokenizer.model", options.tokenizer.read_bytes())

        def task() -> LanguageTask:
            return LanguageTask(DecoderOnlyTransformer(config), tokenizer, corpus, recipe, options.source_weight)

        return PreparedRun(config, task)

    finish = partial(finish_language, options.out, tokenizer, corpus, recipe, options.source_weight)
    return run_training(options, recipe, prepare, finish)
