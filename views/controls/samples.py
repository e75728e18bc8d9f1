"""Six pictures to begin with, drawn by our own code: `python -m tools.samples` draws them again."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from views.controls.pictures import Picture, PictureError, read_picture
from views.text.catalogue import Message

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"


@dataclass(frozen=True)
class Sample:
    """A drawn picture.

    Attributes:
        name: of its file, and in the address bar.
        label: what it shows.
        title: what a page calls it.
    """

    name: str
    label: Message
    title: Message

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.jpg"


SAMPLES = (
    Sample(
        "parachute",
        Message("sample.parachute", "parachute"),
        Message("sample.parachute.title", "Parachute, drawn by this project"),
    ),
    Sample(
        "golf-ball",
        Message("sample.golf-ball", "golf ball"),
        Message("sample.golf-ball.title", "Golf ball, drawn by this project"),
    ),
    Sample(
        "church",
        Message("sample.church", "church"),
        Message("sample.church.title", "Church, drawn by this project"),
    ),
    Sample(
        "french-horn",
        Message("sample.french-horn", "French horn"),
        Message("sample.french-horn.title", "French horn, drawn by this project"),
    ),
    Sample(
        "gas-pump",
        Message("sample.gas-pump", "gas pump"),
        Message("sample.gas-pump.title", "Gas pump, drawn by this project"),
    ),
    Sample(
        "garbage-truck",
        Message("sample.garbage-truck", "garbage truck"),
        Message("sample.garbage-truck.title", "Garbage truck, drawn by this project"),
    ),
)
MISSING = Message("sample.missing", "{file} is missing in assets/samples: restore it with `git checkout -- assets`.")
DAMAGED = Message("sample.damaged", "{file} is damaged in assets/samples: restore it with `git checkout -- assets`.")
NAMES = tuple(sample.name for sample in SAMPLES)


@cache
def picture(name: str) -> Picture:
    """The sample called `name`, read like any other picture.

    Raises:
        OSError, PictureError: its file is missing or damaged.
    """
    sample = SAMPLES[NAMES.index(name)]
    return replace(read_picture(sample.path.read_bytes()), title=sample.title)


def usable() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the samples that can be shown, and a sentence for each of the others that says what to do."""
    names, troubles = [], []
    for sample in SAMPLES:
        try:
            picture(sample.name)
        except OSError:
            troubles.append(MISSING(file=sample.path.name))
        except PictureError:
            troubles.append(DAMAGED(file=sample.path.name))
        else:
            names.append(sample.name)
    return tuple(names), tuple(troubles)
