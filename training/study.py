"""The type of every study, and the checks that come before its measurement."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model.data.corpus import Corpus, read_corpus, read_split
from model.data.images import LabelledImages
from model.runtime.checkpoint import AlteredFileError, CheckpointError, read_json

from .templates import fill

MODEL = {"type": Path, "required": True}  # settings of the option for the folder that is measured


@dataclass(frozen=True)
class Study:
    """A measurement of trained networks: its command, and its block in the card of the network."""

    name: str  # of its command
    purpose: str  # line on the command in `--help`
    measure: Callable[[argparse.Namespace], object]  # by the options of the command; writes the figures
    options: Mapping[str, Mapping[str, Any]]  # of the command, each with its settings for `add_argument`
    on_device: bool = True  # whether the command has the option for the device
    template: str = ""  # of its block, in `training/cards`; without one, no card has such a block
    key: str = "weights_sha256"  # entry of card.json by which figures are read
    read: Callable[[Path, Any], Any] | None = None  # figures from the folder, by that entry; None if there are none
    values: Callable[[Any], dict[str, Any] | None] = dict  # of the placeholders, from the figures; None if too old

    def block(self, folder: Path, card: dict) -> str:
        """Markdown on the figures of the network in `folder`; empty where there are none of it.

        Raises:
            AlteredFileError: the file of the figures ships and was altered.
        """
        if self.read is None or self.key not in card:
            return ""
        try:
            figures = self.read(folder, card[self.key])
        except AlteredFileError:
            raise
        except CheckpointError:
            return ""
        values = None if figures is None else self.values(figures)
        return "" if values is None else fill(self.template, **values)


def read_figures(file: str, key: str = "weights_sha256") -> Callable[[Path, str], dict | None]:
    """The reader of a file of figures that states the hash it belongs to under `key`."""

    def read(folder: Path, sha256: str) -> dict | None:
        figures = read_json(folder / file)
        return figures if figures.get(key) == sha256 else None

    return read


def counted(default: int, what: str = "held-out sentences used") -> dict[str, Any]:
    """Settings of an option for a number of inputs."""
    return {"type": int, "default": default, "help": f"{what}; default %(default)s"}


def check_count(number: int, unit: str = "sentences", why: str = "leave nothing to measure", least: int = 1) -> None:
    """Refuse a number of inputs that is too low.

    Raises:
        ValueError: the message names the option.
    """
    if number < least:
        raise ValueError(f"{number} {unit} {why}; give --{unit} {least} or more.")


def read_heldout(options: argparse.Namespace) -> Corpus:
    """The sentence pairs that a command names, without validation sentences."""
    return read_corpus(options.data, options.heldout)


def read_split_of_card(options: argparse.Namespace) -> Corpus:
    """The sentence pairs that a command names, with the split in the card of the first of its networks."""
    split = read_json(options.models[0] / "card.json")["data"].get("split", {})
    return read_split(options.data, options.heldout, split.get("validation_sentences", 0))


def held_out_card(folder: Path, corpus: Corpus) -> dict:
    """The card of the translator in `folder`, after a check that it has not seen the held-out sentences of `corpus`.

    Raises:
        CheckpointError: there is no card.
        ValueError: the translator was trained on other data, or with fewer held-out sentences, so that it may have seen
            some of these.
    """
    card = read_json(folder / "card.json")
    data = card["data"]
    if data["sha256"] != corpus.sha256:
        raise ValueError("This data file is not the one the translator was trained on, so no sentence is held out.")
    split = data.get("split", {})  # older cards have none: they hold out test sentences only
    tests = split.get("test_sentences")
    if data["training_pairs"] > len(corpus.outside_test) if tests is None else len(corpus.heldout) > tests:
        raise ValueError("The translator was trained on some of these held-out sentences; give a smaller --heldout.")
    if corpus.validation and (
        len(corpus.heldout) != tests or len(corpus.validation) > split.get("validation_sentences", 0)
    ):
        raise ValueError("The translator was trained on some of these validation sentences; give --validation 0.")
    return card


def validation_card(folder: Path, images: LabelledImages) -> dict:
    """The card of the classifier in `folder`, after a check that it has not seen the validation pictures of `images`.

    Raises:
        CheckpointError: there is no card.
        ValueError: the data is not what this classifier was trained on.
    """
    card = read_json(folder / "card.json")
    if card["data"]["sha256"] != images.sha256:
        raise ValueError("These pictures are not the ones the classifier was trained with, so none is known to be new.")
    return card


def check_transformer(folder: Path, lacking: str) -> None:
    """Refuse the folder of a convolutional network, which has none of what is measured.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the message states what is lacking.
    """
    if "widths" in read_json(folder / "config.json"):
        raise ValueError(
            f"A convolutional network has no {lacking} to measure; give the folder of a Vision Transformer."
        )
