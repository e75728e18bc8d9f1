"""The samples drawn otherwise, with what they show known to the pixel: for measurements, not for the app.

A variant has another seed, so another sky, other trees, other grain; a part of it is cut out, so that the object stands
elsewhere and is larger; every other one is mirrored; its light is warmer or colder, brighter or darker. Most objects
still cover the middle, as in most photographs. An off-centre variant is the whole scene with its object smaller and to
one side, on the same ground, so that the middle of the picture shows none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from tools.samples.canvas import SIDE, Canvas, Colour
from tools.samples.drawing import DRAW

SMALLEST = 0.68  # share of the side that is cut out
KEPT = 0.85  # of the object at least stays in the picture
SMALLER = 0.45, 0.65  # an off-centre object to the drawn one
ASIDE = 0.02, 0.40  # share of the width, from one edge, in which all of an off-centre object lies
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
    pixels = _relit(picture, random)
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


class Scenery(Canvas):
    """A canvas that leaves the object and its shadows out; chance is the same as with them."""

    def paint(self, mask: np.ndarray, colour: Colour, opacity: float = 1.0) -> None:
        """As on a canvas, but not where the object is painted."""
        if not self.on_object:
            super().paint(mask, colour, opacity)

    def shade(self, mask: np.ndarray, factor: float) -> None:
        """Nothing: all shadows of the samples are those of their objects."""


def off_centre_variant(name: str, number: int) -> Variant:
    """The `number`th variant of the sample called `name`, from 1, whose object lies to one side of the middle.

    Raises:
        KeyError: there is no such sample.
    """
    draw, seed = DRAW[name]
    whole, scenery = Canvas(1000 * seed + number), Scenery(1000 * seed + number)
    drawn, background = draw(whole), draw(scenery)
    outline = Image.fromarray((255 * whole.outline()).round().astype(np.uint8))
    left, top, right, bottom = outline.point(lambda level: 255 * (level > 127)).getbbox()
    random = np.random.default_rng([seed, number, 1])
    near, far = (round(SIDE * share) for share in ASIDE)
    scale = min(random.uniform(*SMALLER), (far - near) / (right - left))
    size = int(scale * (right - left)), int(scale * (bottom - top))
    object, shape = (each.crop((left, top, right, bottom)).resize(size) for each in (drawn, outline))
    place = int(random.integers(near, far - size[0] + 1)), bottom - size[1]  # on the ground it stood on
    background.paste(object, place, shape)
    known = Image.new("L", background.size)
    known.paste(shape, place)
    pixels, covered = _relit(background, random), np.asarray(known)
    if number % 2:
        pixels, covered = pixels[:, ::-1], covered[:, ::-1]
    return Variant(name, Image.fromarray(pixels), Image.fromarray(covered))


def _relit(picture: Image.Image, random: np.random.Generator) -> np.ndarray:
    """The pixels in another light, `(row, column, 3)` uint8."""
    pixels = np.asarray(picture, np.float32) / 255
    pixels = pixels * random.uniform(1 - LIGHT, 1 + LIGHT) * random.uniform(1 - TINT, 1 + TINT, 3)
    return (255 * pixels.clip(0, 1)).round().astype(np.uint8)


def write_variants(folder: Path, each: int, off_centre: bool = False) -> int:
    """`each` variants of every sample as `<name>-<number>.png` and `<name>-<number>.object.png`; how many there are.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in DRAW:
        for number in range(1, each + 1):
            made = off_centre_variant(name, number) if off_centre else variant(name, number)
            made.picture.save(folder / f"{name}-{number}.png")
            made.object.save(folder / f"{name}-{number}.object.png")
    return each * len(DRAW)
