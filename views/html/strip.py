"""A vector as a row of colours, for the inside of a table."""

from __future__ import annotations

import numpy as np

from views import palette
from views.figures.overlay import data_url
from views.html.bars import Cell
from views.text import literal
from views.text.catalogue import say
from views.text.numbers import three_digits


def strip(vector: np.ndarray, top: float, kind: str, theme: palette.Theme, name: str) -> Cell:
    """Draw `vector` `(n,)`, one pixel a number; a size of `top` gets the deepest colour on either side of 0."""
    colours = palette.shades((vector / (top or 1) + 1) / 2, palette.signed_scale(kind, theme))
    pixels = colours.round().astype(np.uint8)[None]  # (1, n, 3)
    length = three_digits(float(np.linalg.norm(vector)))
    words = say("strip.vector", "{name}: {count} numbers, length {length}", name=name, count=len(vector), length=length)
    return Cell(f'<img src="{data_url(pixels)}" alt="{literal.html(words)}">', "6rem")
