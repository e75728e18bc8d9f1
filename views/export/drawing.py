"""A drawing as plain boxes and texts, written as SVG or painted as PNG: one description, two files that agree."""

import io
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .. import palette
from ..figures.overlay import data_url
from ..streamlit_internals import font_file
from ..text import literal

FONT = "'Source Sans 3', 'Source Sans Pro', 'Helvetica Neue', Arial, sans-serif"
_INK = palette.INK["light"]


@dataclass(frozen=True)
class Box:
    """A filled rectangle; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True)
class TextLine:
    """One line of text whose anchor lies at x and y, half its height below; `angle` turns it clockwise, in degrees."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: Literal["start", "middle", "end"] = "start"
    angle: float = 0


@dataclass(frozen=True, eq=False)
class Pixels:
    """A picture `(height, width, 3)` uint8, scaled to whole squares a pixel; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    pixels: np.ndarray


@dataclass(frozen=True)
class Drawing:
    """Boxes, texts and pictures, painted in order on white; sizes in pixels.

    `title` describes it to those who cannot see it.
    """

    width: float
    height: float
    title: str
    items: tuple[Box | TextLine | Pixels, ...]


def to_svg(drawing: Drawing) -> str:
    """The drawing as an SVG file."""
    width, height = math.ceil(drawing.width), math.ceil(drawing.height)
    title = literal.html(literal.visible(drawing.title))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{title}" font-family="{FONT}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
        *(_SVG[type(item)](item) for item in drawing.items),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _svg_rectangle(item: Box | Pixels) -> str:
    return f'x="{item.x:.5g}" y="{item.y:.5g}" width="{item.width:.5g}" height="{item.height:.5g}"'


def _svg_text(text: TextLine) -> str:
    turn = f' transform="rotate({text.angle:g} {text.x:.5g} {text.y:.5g})"' if text.angle else ""
    return (
        f'<text x="{text.x:.5g}" y="{text.y:.5g}" font-size="{text.size:g}" text-anchor="{text.anchor}" '
        f'dominant-baseline="central" fill="{_INK}"{turn}>{literal.html(literal.visible(text.text))}</text>'
    )


def _svg_pixels(picture: Pixels) -> str:
    look = 'preserveAspectRatio="none" style="image-rendering:pixelated"'
    return f'<image {_svg_rectangle(picture)} {look} href="{data_url(picture.pixels)}"/>'


_SVG = {Box: lambda box: f'<rect {_svg_rectangle(box)} fill="{box.fill}"/>', TextLine: _svg_text, Pixels: _svg_pixels}


def to_png(drawing: Drawing, scale: int = 3) -> bytes:
    """The drawing as a PNG file, `scale` pixels for each of its own."""
    image = Image.new("RGB", (math.ceil(drawing.width * scale), math.ceil(drawing.height * scale)), "#FFFFFF")
    painter = ImageDraw.Draw(image)
    for item in drawing.items:
        if isinstance(item, Box):
            left, top = round(item.x * scale), round(item.y * scale)
            right, bottom = round((item.x + item.width) * scale), round((item.y + item.height) * scale)
            painter.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), fill=item.fill)
        elif isinstance(item, Pixels):
            size = round(item.width * scale), round(item.height * scale)
            scaled = Image.fromarray(item.pixels).resize(size, Image.Resampling.NEAREST)
            image.paste(scaled, (round(item.x * scale), round(item.y * scale)))
        else:
            _paint_text(image, item, scale)
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=6, dpi=(96 * scale, 96 * scale))
    return file.getvalue()


def _paint_text(image: Image.Image, text: TextLine, scale: int) -> None:
    font = _font(round(text.size * scale))
    shown = paintable(text.text)
    length, line = math.ceil(font.getlength(shown)), round(text.size * scale * 1.5)
    # A square whose middle is the anchor, so that turning it leaves the anchor in place.
    side = 2 * max(length, line)
    ink = Image.new("L", (side, side), 0)
    start = {"start": 0, "middle": -length / 2, "end": -length}[text.anchor]
    ImageDraw.Draw(ink).text((side / 2 + start, side / 2), shown, font=font, fill=255, anchor="lm")
    if text.angle:
        ink = ink.rotate(-text.angle, resample=Image.Resampling.BICUBIC)
    image.paste(_INK, (round(text.x * scale - side / 2), round(text.y * scale - side / 2)), ink)


def text_width(text: str, size: float) -> float:
    """Pixels that `text` takes in a line of that size."""
    return _font(100).getlength(paintable(text)) * size / 100


def paintable(text: str) -> str:
    """`text` with every character that the font cannot draw written as its number."""
    return "".join(
        char if _drawable(char) else "_" if char == "\u2423" else f"U+{ord(char):04X}" for char in literal.visible(text)
    )


@lru_cache(maxsize=4096)
def _drawable(char: str) -> bool:
    font = _font(16)
    return char.isspace() or bytes(font.getmask(char)) != bytes(font.getmask("\U0010fffd"))


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    found = font_file()
    return ImageFont.truetype(str(found), size) if found else ImageFont.load_default(size)
