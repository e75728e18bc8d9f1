"""Which function draws which sample."""

from __future__ import annotations

import io

from tools.samples import music, nature, street, town

DRAW = {
    "parachute": nature.parachute,
    "golf-ball": nature.golf_ball,
    "church": town.church,
    "french-horn": music.french_horn,
    "gas-pump": street.gas_pump,
    "garbage-truck": street.garbage_truck,
}


def jpeg(name: str) -> bytes:
    """The sample called `name`, drawn anew, as the file that ships."""
    file = io.BytesIO()
    DRAW[name]().save(file, "JPEG", quality=86, optimize=True)
    return file.getvalue()
