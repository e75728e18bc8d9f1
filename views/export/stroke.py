"""A stroke of constant width along a cubic curve, as SVG and painted on a picture: a ribbon or an arc of the stage."""

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

Point = tuple[float, float]

_PIECES = 40  # straight pieces of a painted curve
_FINER = 2  # painted so much larger, then reduced: smooth edges
_BAND = 64  # rows of pixels that are painted together: a long ribbon covers little of the rectangle around it


@dataclass(frozen=True)
class Stroke:
    """A cubic Bézier curve from `start` to `end`, drawn as a stroke."""

    start: Point
    # `first`, `second`: its control points
    first: Point
    second: Point
    end: Point
    width: float  # of the stroke, in pixels of the drawing
    colour: str  # `#RRGGBB`
    opacity: float = 1.0  # above 0, up to 1

    def points(self, pieces: int = _PIECES) -> np.ndarray:
        """Points along it with equal steps of its parameter, `(pieces + 1, 2)` float64."""
        corners = np.array([self.start, self.first, self.second, self.end], np.float64)
        share = np.linspace(0, 1, pieces + 1)[:, None]
        rest = 1 - share
        weights = np.hstack([rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3])
        return weights @ corners

    def outline(self) -> np.ndarray:
        """The corners of the stroke's area: along one edge and back along the other, `(2 * pieces + 2, 2)`."""
        middle = self.points()
        along = np.gradient(middle, axis=0)
        length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], 1) / length * self.width / 2
        return np.concatenate([middle + across, (middle - across)[::-1]])


def stroke_svg(curve: Stroke) -> str:
    """The stroke as an element of SVG."""
    corners = [f"{x:.5g} {y:.5g}" for x, y in (curve.start, curve.first, curve.second, curve.end)]
    return (
        f'<path d="M{corners[0]}C{" ".join(corners[1:])}" fill="none" stroke="{curve.colour}" '
        f'stroke-width="{curve.width:.4g}" stroke-opacity="{curve.opacity:g}"/>'
    )


def paint_stroke(image: Image.Image, curve: Stroke, scale: int) -> None:
    """Paint the stroke on a picture that has `scale` pixels for each pixel of the drawing."""
    outline = curve.outline() * scale
    following = np.roll(outline, -1, 0)
    lows, highs = np.minimum(outline, following), np.maximum(outline, following)  # of each edge, (edge, 2)
    top, bottom = math.floor(outline[:, 1].min()), math.ceil(outline[:, 1].max()) + 1
    for y in range(top, bottom, _BAND):
        end = min(y + _BAND, bottom)
        in_band = (highs[:, 1] >= y) & (lows[:, 1] <= end)
        if not in_band.any():  # the last band may begin below the stroke
            continue
        left, right = math.floor(lows[in_band, 0].min()), math.ceil(highs[in_band, 0].max()) + 1
        ink = Image.new("L", ((right - left) * _FINER, (end - y) * _FINER), 0)
        corners = [(float(one), float(other)) for one, other in (outline - (left, y)) * _FINER]
        ImageDraw.Draw(ink).polygon(corners, fill=math.floor(255 * curve.opacity + 0.5))
        image.paste(curve.colour, (left, y), ink.reduce(_FINER))
