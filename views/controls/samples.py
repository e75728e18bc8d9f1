"""Six pictures to begin with, drawn by our own code: `python -m tools.samples` draws them again."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from ..text.catalogue import Message, say
from .pictures import Picture, PictureError, read_picture

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"


class Sample(Message):
    """A drawn picture: its id is the name of its file, and in the address bar; it says what it shows."""

    def title(self) -> str:
        """What a page calls it."""
        return say("sample.title", "{picture}, drawn by this project", picture=self())

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.id}.jpg"


SAMPLES = (
    Sample("church", "Church"),
    Sample("parachute", "Parachute"),
    Sample("golf-ball", "Golf ball"),
    Sample("french-horn", "French horn"),
    Sample("gas-pump", "Gas pump"),
    Sample("garbage-truck", "Garbage truck"),
)
MISSING = Message("sample.missing", "{file} is missing in assets/samples: restore it with `git checkout -- assets`.")
DAMAGED = Message("sample.damaged", "{file} is damaged in assets/samples: restore it with `git checkout -- assets`.")
NAMES = tuple(sample.id for sample in SAMPLES)


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
            picture(sample.id)
        except OSError:
            troubles.append(MISSING(file=sample.path.name))
        except PictureError:
            troubles.append(DAMAGED(file=sample.path.name))
        else:
            names.append(sample.id)
    return tuple(names), tuple(troubles)
