"""Six sample pictures, drawn by this project's own code: `python -m tools.samples` draws them again."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from ..shipped_files import ShippedFileError, read_shipped
from ..text.catalogue import Message, say
from .pictures import Picture, PictureError, read_picture

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"


class Sample(Message):
    """A sample picture: its id is the name of its file and its value in the URL; its text is what it shows."""

    def title(self) -> str:
        """Its name in sentences of a page."""
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
ALTERED = Message(
    "sample.altered",
    "{file} in assets/samples does not match its recorded SHA-256: restore it with `git checkout -- assets`.",
)
NAMES = tuple(sample.id for sample in SAMPLES)


@cache
def picture(name: str) -> Picture:
    """The sample called `name`, read like any other picture.

    Raises:
        OSError, PictureError: its file is missing or damaged.
    """
    sample = SAMPLES[NAMES.index(name)]
    return replace(read_picture(read_shipped(sample.path)), title=sample.title)


def usable() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the samples that can be shown, and for each of the others a message about what to do."""
    names, problems = [], []
    for sample in SAMPLES:
        try:
            picture(sample.id)
        except ShippedFileError:
            problems.append(ALTERED(file=sample.path.name))
        except OSError:
            problems.append(MISSING(file=sample.path.name))
        except PictureError:
            problems.append(DAMAGED(file=sample.path.name))
        else:
            names.append(sample.id)
    return tuple(names), tuple(problems)
