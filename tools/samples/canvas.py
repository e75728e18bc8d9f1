"""Paper and tools for the drawn samples: soft-edged shapes, noise, grass, clouds, shaded tubes and a camera's look.

Lengths are shares of the picture's side, x to the right and y down; colours are red, green and blue from 0 to 1. All
chance comes from one seed, so a picture is always drawn the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 384  # of the finished picture
_DRAWN = 2 * SIDE  # of the paper
_EDGES = 2 * _DRAWN  # of shapes, for smooth edges

Colour = Sequence[float] | np.ndarray  # one colour, or (row, column, 3)
Point = tuple[float, float]


class Canvas:
    """A square picture in the making.

    Attributes:
        pixels: `(row, column, 3)` float32.
        object: `(row, column)` float32 from 0 to 1, what of the picture is the thing that it shows.
        on_object: whether what is painted belongs to that thing, or hides it.
        x, y: `(row, column)` places of the pixels' middles.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.pixels = np.zeros((_DRAWN, _DRAWN, 3), np.float32)
        self.object = np.zeros((_DRAWN, _DRAWN), np.float32)
        self.on_object = False
        middles = (np.arange(_DRAWN, dtype=np.float32) + 0.5) / _DRAWN
        self.x, self.y = np.meshgrid(middles, middles)

    def paint(self, mask: np.ndarray, colour: Colour, opacity: float = 1.0) -> None:
        """Lay `colour` where `mask` is, `(row, column)` from 0 to 1."""
        inside = _around(mask)
        colour = np.asarray(colour, np.float32)
        if colour.ndim == 3:
            colour = colour[inside]
        share = mask[inside] * opacity
        self.pixels[inside] += share[..., None] * (colour - self.pixels[inside])
        self.object[inside] += share * (float(self.on_object) - self.object[inside])

    def shade(self, mask: np.ndarray, factor: float) -> None:
        """Make what lies under `mask` darker, or lighter for a factor above 1."""
        inside = _around(mask)
        self.pixels[inside] *= (1 + mask[inside] * (factor - 1))[..., None]

    def solid(self, mask: np.ndarray, colour: Colour, bevel: float = 0.012, depth: float = 0.5) -> None:
        """A body with rounded edges, lit from the upper left."""
        height = soft(mask, bevel)
        down, right = np.gradient(height)
        light = 1 + depth * np.clip((down + right) * bevel * _DRAWN * 2.5, -0.9, 0.9)
        self.paint(mask, np.clip(np.asarray(colour, np.float32) * light[..., None], 0, 1))

    def noise(self, cells: float, octaves: int = 5, stretch: float = 1.0, fall: float = 0.5) -> np.ndarray:
        """Fractal noise `(row, column)`, 0 to 1: `cells` across, `stretch` times wider than high, at its coarsest."""
        total = np.zeros((_DRAWN, _DRAWN), np.float32)
        for octave in range(octaves):
            across = max(2, round(cells * 2**octave))
            down = max(2, round(cells * stretch * 2**octave))
            if max(across, down) > _DRAWN:
                break
            grid = Image.fromarray(self.random.random((down + 2, across + 2), np.float32))
            total += fall**octave * np.asarray(grid.resize((_DRAWN, _DRAWN), Image.Resampling.BICUBIC))
        return (total - total.min()) / (total.max() - total.min())

    def sky(self, top: Colour, bottom: Colour, horizon: float, clouds: float = 0.5) -> None:
        """A sky over the whole picture, from `top` to `bottom` at the horizon; `clouds` from 0 to 1."""
        share = np.clip(self.y / horizon, 0, 1)[..., None]
        self.pixels[:] = (1 - share) * np.asarray(top, np.float32) + share * np.asarray(bottom, np.float32)
        billow = self.noise(2.2, 7, 1.9, 0.55)
        thick = np.clip((billow - (0.72 - 0.35 * clouds)) / 0.28, 0, 1) ** 1.3
        lit = np.clip(0.93 - 0.5 * (np.roll(billow, -14, 0) - billow) - 0.12 * thick, 0.55, 1)
        self.paint(thick, lit[..., None] * np.array([1.0, 1.0, 1.02]), 0.9)

    def grass(
        self, top: float, count: int, length: float, colours: Sequence[Colour], low: float = 1.0, across: Point = (0, 1)
    ) -> None:
        """Blades from far ones at `top` to near ones at `low`, each of a colour between those of `colours`."""
        image = Image.fromarray((255 * np.clip(self.pixels, 0, 1)).astype(np.uint8)).resize((_EDGES, _EDGES))
        pen = ImageDraw.Draw(image)
        palette = np.asarray(colours)
        roots = np.sort(self.random.random(count))
        for root in roots:
            y = top + (low - top) * root
            near = 0.15 + 0.85 * (y - top) / max(1e-6, 1 - top)
            x = self.random.uniform(*across)
            lean = self.random.normal(0, 0.35)
            high = length * near * self.random.uniform(0.5, 1.3)
            colour = palette[self.random.integers(len(palette))] * self.random.uniform(0.7, 1.2)
            tip = (x + lean * high, y - high)
            bend = (x + 0.25 * lean * high, y - 0.6 * high)
            width = max(1, round(0.0045 * near * _EDGES))
            shade = tuple(int(255 * min(1, max(0, value))) for value in colour)
            pen.line([_at((x, y)), _at(bend)], fill=shade, width=width)
            pen.line([_at(bend), _at(tip)], fill=shade, width=max(1, width // 2))
        self.pixels[:] = np.asarray(image.resize((_DRAWN, _DRAWN), Image.Resampling.BOX), np.float32) / 255

    def tube(self, points: Sequence[Point], width: float, ramp: Sequence[Colour], light: float = 0.16) -> None:
        """A round bar along `points`; `ramp` goes from its edge to the line that faces the light."""
        steps = 10
        ramp = np.asarray(ramp, np.float32)
        for step in range(steps):
            share = step / (steps - 1)
            thin = width * (1 - share) ** 0.75 + 0.001
            off = -light * width * share
            place = share * (len(ramp) - 1)
            low = min(int(place), len(ramp) - 2)
            colour = ramp[low] + (place - low) * (ramp[low + 1] - ramp[low])
            self.paint(line([(x + off, y + off) for x, y in points], thin), colour)

    def defocus(self, blur: float, mask: np.ndarray | None = None) -> None:
        """Blur what has been drawn so far, as a lens does behind its focus; only under `mask` if there is one."""
        blurred = np.stack([soft(self.pixels[..., channel], blur) for channel in range(3)], -1)
        self.paint(np.ones_like(self.x) if mask is None else mask, blurred)

    def outline(self) -> np.ndarray:
        """Which pixels of the finished picture show the object, `(row, column)` from 0 to 1."""
        return self.object.reshape(SIDE, 2, SIDE, 2).mean((1, 3))

    def photograph(self, grain: float = 0.012, vignette: float = 0.22, contrast: float = 1.0) -> Image.Image:
        """The finished picture: light falls off to the corners, the sensor adds its grain."""
        distance = (self.x - 0.5) ** 2 + (self.y - 0.5) ** 2
        pixels = self.pixels * (1 - vignette * 2 * distance)[..., None]
        pixels = 0.5 + contrast * (pixels - 0.5)
        small = pixels.reshape(SIDE, 2, SIDE, 2, 3).mean((1, 3))
        small += grain * self.random.normal(size=(SIDE, SIDE, 1)) + grain / 2 * self.random.normal(size=small.shape)
        return Image.fromarray((255 * np.clip(small, 0, 1)).round().astype(np.uint8))


def polygon(points: Sequence[Point]) -> np.ndarray:
    """The inside of a closed line, `(row, column)` from 0 to 1."""
    return _drawn(points, 0, lambda pen, at: pen.polygon([at(point) for point in points], fill=255))


def ellipse(x: float, y: float, across: float, down: float, angle: float = 0.0) -> np.ndarray:
    """An ellipse around `(x, y)` with half axes `across` and `down`, turned by `angle` in degrees."""
    turn = np.linspace(0, 2 * np.pi, 120)
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    a, b = across * np.cos(turn), down * np.sin(turn)
    return polygon([(x + cos * p - sin * q, y + sin * p + cos * q) for p, q in zip(a, b, strict=True)])


def box(left: float, top: float, right: float, bottom: float, corner: float = 0.0) -> np.ndarray:
    """A rectangle with rounded corners."""
    corners = [(left, top), (right, bottom)]
    return _drawn(
        corners, 0, lambda pen, at: pen.rounded_rectangle([at(point) for point in corners], corner * _EDGES, fill=255)
    )


def line(points: Sequence[Point], width: float) -> np.ndarray:
    """A line through `points` with round ends."""
    half = width / 2 * _EDGES

    def draw(pen: ImageDraw.ImageDraw, at: Callable) -> None:
        pen.line([at(point) for point in points], fill=255, width=max(1, round(2 * half)), joint="curve")
        for x, y in (at(points[0]), at(points[-1])):
            pen.ellipse((x - half, y - half, x + half, y + half), fill=255)

    return _drawn(points, width, draw)


def curve(points: Sequence[Point], steps: int = 24) -> list[Point]:
    """A smooth line through `points` (Catmull-Rom)."""
    known = np.array([points[0], *points, points[-1]], float)
    made = []
    for before, start, end, after in zip(known, known[1:], known[2:], known[3:], strict=False):
        for t in np.linspace(0, 1, steps, endpoint=False):
            bend = 2 * before - 5 * start + 4 * end - after
            made.append(start + 0.5 * t * (end - before + t * (bend + t * (3 * (start - end) + after - before))))
    return [(float(x), float(y)) for x, y in [*made, known[-1]]]


def soft(mask: np.ndarray, blur: float) -> np.ndarray:
    """`mask` blurred; `blur` is the Gaussian's width."""
    low, high = float(mask.min()), float(mask.max())
    scaled = (mask - low) / ((high - low) or 1)  # Pillow blurs 8-bit pictures only
    image = Image.fromarray((255 * scaled).astype(np.uint8)).filter(ImageFilter.GaussianBlur(blur * _DRAWN))
    return low + (high - low) * np.asarray(image, np.float32) / 255


def _drawn(points: Sequence[Point], margin: float, draw: Callable) -> np.ndarray:
    """What `draw(pen, at)` draws around `points`; only that part of the paper is looked at."""
    mask = np.zeros((_DRAWN, _DRAWN), np.float32)
    places = np.asarray(points, float)
    low = np.clip(np.floor((places.min(0) - margin) * _DRAWN) - 2, 0, _DRAWN).astype(int)
    high = np.clip(np.ceil((places.max(0) + margin) * _DRAWN) + 2, 0, _DRAWN).astype(int)
    if (high <= low).any():
        return mask
    image = Image.new("L", tuple(int(side) for side in 2 * (high - low)))
    draw(ImageDraw.Draw(image), lambda point: (point[0] * _EDGES - 2 * low[0], point[1] * _EDGES - 2 * low[1]))
    mask[low[1] : high[1], low[0] : high[0]] = np.asarray(image.reduce(2), np.float32) / 255
    return mask


def _around(mask: np.ndarray) -> tuple[slice, slice]:
    """The rows and columns in which `mask` is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not rows.size:
        return slice(0), slice(0)
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _at(point: Point) -> tuple[float, float]:
    return point[0] * _EDGES, point[1] * _EDGES
