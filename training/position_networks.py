"""Small translators that differ in their positions alone, and the command that trains one.

All have the same sizes, data, batches and recipe, and with one seed the same initial weights; see
`model.networks.config.PositionKind`. They are trained on pairs of at most 16 tokens a side, so that longer sentences
show what each kind does with distances that it has never seen ("Train Short, Test Long", Press et al. 2022).
"""

import argparse
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from model.networks.config import POSITION_KINDS, PositionKind, TransformerConfig, part_sizes
from model.networks.transformer import Transformer
from model.recurrent_translator import TOKENIZER
from model.runtime.checkpoint import sha256_of, write_atomically
from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer

from .card import finish_translator
from .loop import Observe, TrainingTask
from .optimizer import Recipe
from .run_options import PreparedRun, add_run_options, check_out, from_options, read_split_of, run_training
from .snapshots import SnapshotWriter
from .translation import TranslationTask

LONGEST_TOKENS = 16  # on a side of a training pair, `<s>` and `</s>` not counted
MOST_PARAMETERS = 1_300_000
# on a CPU these small matrices are faster in single precision than under autocast (docs/training.md)
POSITIONS_RECIPE = Recipe(epochs=8, batch_tokens=4000, seed=0, precision="fp32")
SIZES = TransformerConfig(d_model=96, n_heads=8, n_encoder_layers=2, n_decoder_layers=2, d_ff=384)


def positions_config(
    kind: PositionKind, vocabulary_size: int, longest_tokens: int = LONGEST_TOKENS
) -> TransformerConfig:
    """Sizes of the network with one kind of positions.

    The learned table ends where training does, at `longest_tokens` and one special token: rows beyond would be random.

    Raises:
        ValueError: there are more trained numbers than `MOST_PARAMETERS`, or `longest_tokens` is below 1.
    """
    if longest_tokens < 1:
        raise ValueError(f"longest_tokens is {longest_tokens}; it must be at least 1.")
    config = replace(SIZES, vocabulary_size=vocabulary_size, positions=kind)
    if kind == "learned":
        config = replace(config, max_positions=longest_tokens + 1)
    parameters = sum(part.total for part in part_sizes(config))
    if parameters > MOST_PARAMETERS:
        raise ValueError(
            f"With {vocabulary_size:,} tokens the network has {parameters:,} parameters, more than "
            f"{MOST_PARAMETERS:,}; use a smaller vocabulary."
        )
    return config


def add_positions_command(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    """Add the command, without the options that all commands on text share."""
    command = commands.add_parser("positions", help="train a small translator with one kind of positions")
    command.set_defaults(run=_train)
    add_run_options(command, POSITIONS_RECIPE)
    command.add_argument("--kind", choices=POSITION_KINDS, required=True, help="how the network knows positions")
    command.add_argument("--epochs", type=int, default=POSITIONS_RECIPE.epochs, help="default %(default)s")
    command.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="by default the shipped translator's")
    command.add_argument(
        "--longest-tokens", type=int, default=LONGEST_TOKENS, help="on a side of a pair; default %(default)s"
    )
    command.add_argument(
        "--snapshots", action="store_true", help="store weights at many steps, from which `formation` selects twelve"
    )
    return command


def _train(options: argparse.Namespace) -> int:
    corpus = read_split_of(options)  # reports errors in the data before any work
    check_out(options)
    recipe = from_options(Recipe, options)
    tokenizer = Tokenizer(options.tokenizer)
    longest = options.longest_tokens
    config = positions_config(options.kind, len(tokenizer), longest)

    def prepare(processes: ProcessGroup) -> PreparedRun:
        if processes.leads and sha256_of(options.tokenizer) != sha256_of(TOKENIZER):
            write_atomically(options.out / "tokenizer.model", options.tokenizer.read_bytes())
        return PreparedRun(
            config, lambda: TranslationTask(Transformer(config), tokenizer, corpus, recipe, longest_tokens=longest)
        )

    writers: list[SnapshotWriter] = []

    def observe(task: TrainingTask, device: torch.device) -> Observe:
        writers.append(SnapshotWriter(options.out, task, device))
        return writers[0]

    def finish(network: nn.Module, device: torch.device) -> None:
        for writer in writers:
            if writer.steps:  # else this run had been finished before
                writer.store(writer.task.network)  # as training left it
        facts = {"data": {"longest_tokens": longest}}
        finish_translator(options.out, tokenizer.path, corpus, recipe, network, device, facts)

    return run_training(options, recipe, prepare, finish, observe if options.snapshots else None)
