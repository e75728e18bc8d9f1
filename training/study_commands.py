"""The commands of all studies, which measure trained networks and write the figures to the folder of the weights."""

import argparse
from functools import partial
from pathlib import Path

from model.lessons import head_formation, positions_compared
from model.runtime.checkpoint import read_json, write_atomically
from model.trained_model import ASSETS

from .agreement_study import AGREEMENT
from .doubt_study import DOUBT
from .english_study import ENGLISH_TEXT
from .forgetting_study import FORGETTING
from .formation_study import FORMATION, formation_markdown
from .head_study import HEAD_MEANS, HEADS, HEADS_VISION
from .map_study import MAPS
from .network_comparison_study import COMPARISON
from .one_stack_study import ONE_STACK
from .positions_study import POSITIONS_STUDY, comparison_markdown
from .raw_attention_study import RAW_ATTENTION
from .readable_card import write_readable_card
from .run_options import add_device_option
from .study import Study
from .unlike_study import UNLIKE
from .vision_scores import AGREEMENT_VISION

Command = argparse.ArgumentParser

TEXT_STUDIES = (
    AGREEMENT,
    HEADS,
    HEAD_MEANS,
    DOUBT,
    ENGLISH_TEXT,
    COMPARISON,
    ONE_STACK,
    RAW_ATTENTION,
    FORGETTING,
    POSITIONS_STUDY,
    FORMATION,
)
PICTURE_STUDIES = (HEADS_VISION, AGREEMENT_VISION, MAPS, UNLIKE)


def add_studies(commands: argparse._SubParsersAction, studies: tuple[Study, ...]) -> list[Command]:
    """Add the commands of studies, without the options that all commands on the same data share."""
    added = []
    for study in studies:
        command = commands.add_parser(study.name, help=study.purpose)
        command.set_defaults(run=partial(run_study, study))
        for option, settings in study.options.items():
            command.add_argument(option, **settings)
        if study.on_device:
            add_device_option(command)
        added.append(command)
    return added


def run_study(study: Study, options: argparse.Namespace) -> int:
    """Measure, and write the card of the network anew if the study has a block of it."""
    if "model" in options:
        read_json(options.model / "config.json")  # reports a wrong folder before the data is read
    study.measure(options)
    if study.template:
        write_readable_card(options.model)
    return 0


def add_cards_command(commands: argparse._SubParsersAction) -> None:
    """Add the command that writes all cards; it needs neither data nor device."""
    cards = commands.add_parser("cards", help="write the cards anew from what was measured, without measuring")
    cards.set_defaults(run=lambda options: write_cards(options.folder))
    cards.add_argument(
        "--folder", type=Path, default=ASSETS, help="has `translator`, `vision` and others; by default %(default)s"
    )


def write_cards(folder: Path) -> int:
    """Write `card.md` of every network below `folder`, `positions.md` and `formation.md`.

    Raises:
        CheckpointError: a file with measurements is missing or damaged.
    """
    for card in sorted(folder.rglob("card.json")):
        write_readable_card(card.parent)
    compared = folder / "positions" / positions_compared.FILE
    if compared.is_file():
        text = comparison_markdown(read_json(compared))
        write_atomically(compared.with_suffix(".md"), text.encode())
    for path in sorted((folder / "positions").glob(f"*/{head_formation.FILE}")):
        study = head_formation.load_formation(path.parent, read_json(path.parent / "card.json")["weights_sha256"])
        write_atomically(path.with_suffix(".md"), formation_markdown(study).encode())
    return 0
