"""Six pictures to begin with, drawn by our own code: `python -m tools.samples` draws them again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from views.controls.pictures import Picture, PictureError, read_picture

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"


@dataclass(frozen=True)
class Sample:
    """A drawn picture.

    Attributes:
        name: of its file, and in the address bar.
        label: what it shows: the class as the classifier calls it.
    """

    name: str
    label: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.jpg"


SAMPLES = (
    Sample("parachute", "parachute"),
    Sample("golf-ball", "golf ball"),
    Sample("church", "church"),
    Sample("french-horn", "French horn"),
    Sample("gas-pump", "gas pump"),
    Sample("garbage-truck", "garbage truck"),
)
NAMES = tuple(sample.name for sample in SAMPLES)


class SampleError(RuntimeError):
    """The file of a sample is missing or damaged; the sentence says which and what to do."""


@cache
def picture(name: str) -> Picture:
    """The sample called `name`, read like any other picture.

    Raises:
        SampleError: its file is missing or damaged.
    """
    sample = SAMPLES[NAMES.index(name)]
    try:
        read = read_picture(sample.path.read_bytes())
    except (OSError, PictureError) as error:
        trouble = "damaged" if isinstance(error, PictureError) else "missing"
        raise SampleError(
            f"{sample.path.name} is {trouble} in assets/samples: restore it with `git checkout -- assets`."
        ) from error
    return replace(read, title=f"{sample.label}, drawn by this project")


def usable() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the samples that can be shown, and a sentence for each of the others."""
    names, troubles = [], []
    for name in NAMES:
        try:
            picture(name)
        except SampleError as error:
            troubles.append(str(error))
        else:
            names.append(name)
    return tuple(names), tuple(troubles)
