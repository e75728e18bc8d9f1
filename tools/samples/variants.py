"""The samples drawn otherwise, with what they show known to the pixel: for measurements, not for the app.

A variant has another seed, so another sky, other trees, other grain; a part of it is cut out, so that the object stands
elsewhere and is larger; every other one is mirrored; its light is warmer or colder, brighter or darker.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from tools.samples.canvas import SIDE, Canvas
from tools.samples.drawing import DRAW

SMALLEST = 0.68  # share of the side that is cut out
KEPT = 0.85  # of the object at least stays in the picture
LIGHT, TINT = 0.15, 0.08  # at most more or less, of all colours and of one


@dataclass(frozen=True, eq=False)
class Variant:
    """A drawing of a known object."""

    name: str  # of the sample
    picture: Image.Image  # RGB, square
    object: Image.Image  # of the same size, in grey: how much of each pixel the object has


def variant(name: str, number: int) -> Variant:
    """The `number`th variant of the sample called `name`, from 1; the same for the same number.

    Raises:
        KeyError: there is no such sample.
    """
    draw, seed = DRAW[name]
    canvas = Canvas(1000 * seed + number)
    picture, outline = draw(canvas), canvas.outline()
    random = np.random.default_rng([seed, number])
    pixels = np.asarray(picture, np.float32) / 255
    pixels = pixels * random.uniform(1 - LIGHT, 1 + LIGHT) * random.uniform(1 - TINT, 1 + TINT, 3)
    pixels = (255 * pixels.clip(0, 1)).round().astype(np.uint8)
    if number % 2:
        pixels, outline = pixels[:, ::-1], outline[:, ::-1]
    while True:
        side = round(SIDE * random.uniform(SMALLEST, 1))
        top, left = random.integers(0, SIDE - side + 1, 2)
        cut = slice(top, top + side), slice(left, left + side)
        if outline[cut].sum() >= KEPT * outline.sum():
            break
    known = Image.fromarray((255 * outline[cut]).round().astype(np.uint8))
    return Variant(name, Image.fromarray(pixels[cut]).resize((SIDE, SIDE)), known.resize((SIDE, SIDE)))


def write_variants(folder: Path, each: int) -> int:
    """`each` variants of every sample as `<name>-<number>.png` and `<name>-<number>.object.png`; how many there are.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in DRAW:
        for number in range(1, each + 1):
            made = variant(name, number)
            made.picture.save(folder / f"{name}-{number}.png")
            made.object.save(folder / f"{name}-{number}.object.png")
    return each * len(DRAW)
