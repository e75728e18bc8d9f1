"""Commands that study the networks of the command `positions`: by length, and while heads form."""

import argparse
from pathlib import Path

from model.data.corpus import Corpus, read_split
from model.runtime.checkpoint import read_json

from .formation_study import FORMATION_SENTENCES, study_formation
from .positions_study import SHUFFLED_SENTENCES, compare_positions

Command = argparse.ArgumentParser


def add_position_studies(commands: argparse._SubParsersAction) -> tuple[Command, ...]:
    """Add the commands, without the options that all commands on text share."""
    study = commands.add_parser("positions-study", help="compare networks that differ in their positions, by length")
    study.set_defaults(run=_compare_positions)
    study.add_argument("--out", type=Path, required=True, help="folder for positions.json and positions.md")
    study.add_argument("--sentences", type=int, default=SHUFFLED_SENTENCES, help="shuffled ones; default %(default)s")
    study.add_argument("--models", type=Path, nargs="+", required=True, help="folders that `positions` wrote")
    formation = commands.add_parser("formation", help="measure when heads form, over snapshots of training")
    formation.set_defaults(run=_study_formation)
    formation.add_argument(
        "--models",
        type=Path,
        nargs="+",
        required=True,
        help="folders that `positions --snapshots` wrote, of several seeds; the first one selects the steps",
    )
    formation.add_argument(
        "--sentences", type=int, default=FORMATION_SENTENCES, help="held-out sentences used; default %(default)s"
    )
    formation.add_argument(
        "--remove-others", action="store_true", help="remove the snapshots of the first folder that are not selected"
    )
    return study, formation


def _compare_positions(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to shuffle; give --sentences 1 or more.")
    compare_positions(options.models, options.out, _read_corpus(options), options.sentences, options.device)
    return 0


def _study_formation(options: argparse.Namespace) -> int:
    if options.sentences < 2:
        raise ValueError(f"{options.sentences} sentences have no interval; give --sentences 2 or more.")
    corpus = _read_corpus(options)
    study_formation(options.models, corpus, options.sentences, options.device, options.remove_others)
    return 0


def _read_corpus(options: argparse.Namespace) -> Corpus:
    """The data with the split of the first network's card."""
    split = read_json(options.models[0] / "card.json")["data"].get("split", {})
    return read_split(options.data, options.heldout, split.get("validation_sentences", 0))
