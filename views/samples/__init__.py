"""Six pictures to begin with, drawn by this package: `python -m views.samples` draws them again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from views.pictures import Picture, read_picture

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


@cache
def picture(name: str) -> Picture:
    """The sample called `name`, read like any other picture."""
    sample = SAMPLES[NAMES.index(name)]
    return replace(read_picture(sample.path.read_bytes()), title=f"{sample.label}, drawn by this project")
