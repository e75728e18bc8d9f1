"""Commands on sentences: train the networks that translate, and score them."""

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from model.data.corpus import read_split
from model.networks.config import PRESETS, TransformerConfig
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from model.networks.transformer import Transformer
from model.recurrent_translator import TOKENIZER
from model.runtime.checkpoint import load_weights, read_json, sha256_of, write_atomically
from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer, train_tokenizer

from .card import evaluate_translator, finish_translator
from .continued_training import read_earlier_training
from .evaluate import DECODINGS
from .language import SOURCE_WEIGHT, LanguageTask
from .optimizer import Recipe
from .position_networks import add_positions_command
from .run_options import (
    PreparedRun,
    add_device_option,
    add_options_of,
    add_run_options,
    add_split_options,
    check_out,
    from_options,
    read_split_of,
    run_training,
)
from .study_commands import TEXT_STUDIES, add_studies
from .translation import TranslationTask

RECURRENT_RECIPE = Recipe(
    epochs=3, batch_tokens=2000, learning_rate=2e-3, matrix_learning_rate=0, warmup_steps=200, average_decay=0.998
)
LANGUAGE_RECIPE = Recipe(epochs=16, batch_tokens=4000)
LANGUAGE_OPTIONS = ("d_model", "n_heads", "n_layers", "d_ff", "dropout")


def add_text_commands(commands: argparse._SubParsersAction) -> None:
    """Add the commands of this file, and those of the studies of networks that translate."""
    translator = commands.add_parser("translator", help="train the English-French translator")
    translator.set_defaults(run=_train_translator)
    add_run_options(translator, Recipe())
    translator.add_argument("--epochs", type=int, default=Recipe().epochs, help="default %(default)s")
    translator.add_argument("--preset", choices=sorted(PRESETS), default="small", help="sizes of the network")
    translator.add_argument("--vocabulary", type=int, help="tokens of the joint vocabulary; by default the preset's")
    translator.add_argument(
        "--start-from", type=Path, help="folder of a finished translator to train further; --epochs counts its own too"
    )
    translator.add_argument("--dropout", type=float, help="by default the preset's")
    recurrent = commands.add_parser("recurrent", help="train a recurrent network on the same sentences")
    recurrent.set_defaults(run=_train_recurrent)
    add_run_options(recurrent, RECURRENT_RECIPE)
    recurrent.add_argument("--kind", choices=sorted(VARIANTS), required=True, help="which of the networks")
    recurrent.add_argument("--epochs", type=int, default=RECURRENT_RECIPE.epochs, help="default %(default)s")
    recurrent.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    recurrent.add_argument("--dropout", type=float, help="by default the kind's")
    language = commands.add_parser("language", help="train the decoder-only network on the same sentences")
    language.set_defaults(run=_train_language)
    add_run_options(language, LANGUAGE_RECIPE)
    add_options_of(language, DecoderOnlyConfig(), LANGUAGE_OPTIONS)
    language.add_argument("--epochs", type=int, default=LANGUAGE_RECIPE.epochs, help="default %(default)s")
    language.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    language.add_argument(
        "--source-weight",
        type=float,
        default=SOURCE_WEIGHT,
        help="of the loss of the English tokens, that of the French being 1; default %(default)s",
    )
    positions = add_positions_command(commands)
    evaluate = commands.add_parser("evaluate", help="score a trained translator and write its card")
    evaluate.set_defaults(run=_evaluate_translator)
    evaluate.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    evaluate.add_argument(
        "--decoding",
        choices=tuple(DECODINGS),
        action="append",
        help="run only this one, and leave the scores of others as they are; by default all",
    )
    trainings = (translator, recurrent, language, positions)
    for command in trainings:
        add_split_options(command)
    for command in (*trainings, evaluate):
        add_device_option(command)
    for command in (*trainings, evaluate, *add_studies(commands, TEXT_STUDIES)):
        command.add_argument("--data", type=Path, required=True, help=".tsv, .txt, .tsv.gz or .zip of sentence pairs")
        command.add_argument("--heldout", type=int, default=2000, help="English sentences held out for evaluation")


def _train_translator(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)  # reports errors in the data before any work
    check_out(options)
    recipe = from_options(Recipe, options)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = TransformerConfig.preset(options.preset, **changes)
    before = read_earlier_training(options.start_from, corpus, recipe) if options.start_from else None

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and before:
            before.write_to(options.out)
        elif processes.leads and not options.resume:
            size = config.vocabulary_size if options.vocabulary is None else options.vocabulary
            train_tokenizer((text for pair in corpus.train for text in pair), options.out / "tokenizer", size)
        processes.wait()
        tokenizer = Tokenizer(options.out / "tokenizer.model")
        sizes = before.config if before else replace(config, vocabulary_size=len(tokenizer))

        def task() -> TranslationTask:
            network = Transformer(sizes)
            if before:
                load_weights(network, before.tensors, "the earlier run")
            return TranslationTask(network, tokenizer, corpus, recipe)

        return PreparedRun(sizes, task, before.start if before else None)

    finish = partial(finish_translator, options.out, options.out / "tokenizer.model", corpus, recipe)
    return run_training(options, recipe, prepare, finish)


def _train_recurrent(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)
    check_out(options)
    recipe = from_options(Recipe, options)
    tokenizer = Tokenizer(options.tokenizer)
    changes = {} if options.dropout is None else {"dropout": options.dropout}
    config = RecurrentConfig.preset(options.kind, vocabulary_size=len(tokenizer), **changes)

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and sha256_of(options.tokenizer) != sha256_of(TOKENIZER):
            write_atomically(options.out / "tokenizer.model", options.tokenizer.read_bytes())
        return PreparedRun(config, lambda: TranslationTask(RecurrentNetwork(config), tokenizer, corpus, recipe))

    finish = partial(finish_translator, options.out, tokenizer.path, corpus, recipe)
    return run_training(options, recipe, prepare, finish)


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

    facts = {"training": {"source_weight": options.source_weight}}
    finish = partial(finish_translator, options.out, tokenizer.path, corpus, recipe, facts=facts)
    return run_training(options, recipe, prepare, finish)


def _evaluate_translator(options: argparse.Namespace) -> int:
    read_json(options.model / "config.json")
    split = read_json(options.model / "card.json")["data"].get("split", {})  # older networks have test sentences only
    same = options.heldout == split.get("test_sentences")
    corpus = read_split(options.data, options.heldout, split["validation_sentences"] if same else 0)
    evaluate_translator(options.model, corpus, options.device, options.decoding or tuple(DECODINGS))
    return 0
