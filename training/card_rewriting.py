"""Write all cards of a folder anew from what was measured and saved, without measuring: `python -m training cards`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from model.lessons import head_formation, positions_compared
from model.runtime.checkpoint import read_json, write_atomically
from model.trained_model import ASSETS

from .card import card_markdown as translator_markdown
from .formation_card import formation_markdown
from .head_card import write_readable_card
from .language_card import card_markdown as language_markdown
from .positions_card import card_markdown as positions_markdown
from .positions_comparison_card import comparison_markdown
from .recurrent_card import card_markdown as recurrent_markdown
from .vision_card import card_markdown as picture_markdown

MARKDOWN: dict[str, Callable[[dict, dict, str], str]] = {  # folder below that of the networks -> format of its cards
    "translator": translator_markdown,
    "language": language_markdown,
    "vision": picture_markdown,
    "convolution": picture_markdown,
    "recurrent": recurrent_markdown,
    "positions": positions_markdown,
}


def add_cards_command(commands: argparse._SubParsersAction) -> None:
    """Add the command; it needs neither data nor device."""
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
    for name, markdown in MARKDOWN.items():
        for card in sorted((folder / name).rglob("card.json")):
            write_readable_card(card.parent, markdown)
    compared = folder / "positions" / positions_compared.FILE
    if compared.is_file():
        text = comparison_markdown(read_json(compared))
        write_atomically(compared.with_suffix(".md"), text.encode())
    for path in sorted((folder / "positions").glob(f"*/{head_formation.FILE}")):
        study = head_formation.load_formation(path.parent, read_json(path.parent / "card.json")["weights_sha256"])
        write_atomically(path.with_suffix(".md"), formation_markdown(study).encode())
    return 0
