"""Which function draws which sample, and from which seed."""

from __future__ import annotations

import io

from tools.samples import music, nature, street, town
from tools.samples.canvas import Canvas

DRAW = {
    "parachute": (nature.parachute, 11),
    "golf-ball": (nature.golf_ball, 7),
    "church": (town.church, 5),
    "french-horn": (music.french_horn, 21),
    "gas-pump": (street.gas_pump, 3),
    "garbage-truck": (street.garbage_truck, 9),
}


def jpeg(name: str) -> bytes:
    """Draw the sample `name`, as the shipped file."""
    draw, seed = DRAW[name]
    file = io.BytesIO()
    draw(Canvas(seed)).save(file, "JPEG", quality=86, optimize=True)
    return file.getvalue()
