"""A drawing of boxes, texts and pictures that can be written as SVG and as PNG, with the same result."""

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
    """One line of text, vertically centred on its anchor at x and y; `angle` rotates it clockwise, in degrees."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: Literal["start", "middle", "end"] = "start"
    angle: float = 0


@dataclass(frozen=True, eq=False)
class Pixels:
    """A picture `(height, width, 3)` uint8, scaled without smoothing; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    pixels: np.ndarray


Item = Box | TextLine | Pixels


@dataclass(frozen=True)
class Drawing:
    """Boxes, texts and pictures, painted in order on white; sizes in pixels.

    `title` describes the drawing for screen readers.
    """

    width: float
    height: float
    title: str
    items: tuple[Item, ...]


def to_svg(drawing: Drawing) -> str:
    """The drawing as an SVG file."""
    width, height = math.ceil(drawing.width), math.ceil(drawing.height)
    title = literal.html(literal.visible(drawing.title))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{title}" font-family="{FONT}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
        *map(_svg_item, drawing.items),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _svg_rectangle(item: Box | Pixels) -> str:
    return f'x="{item.x:.5g}" y="{item.y:.5g}" width="{item.width:.5g}" height="{item.height:.5g}"'


def _svg_text(text: TextLine) -> str:
    rotation = f' transform="rotate({text.angle:g} {text.x:.5g} {text.y:.5g})"' if text.angle else ""
    return (
        f'<text x="{text.x:.5g}" y="{text.y:.5g}" font-size="{text.size:g}" text-anchor="{text.anchor}" '
        f'dominant-baseline="central" fill="{_INK}"{rotation}>{literal.html(literal.visible(text.text))}</text>'
    )


def _svg_pixels(picture: Pixels) -> str:
    attributes = 'preserveAspectRatio="none" style="image-rendering:pixelated"'
    return f'<image {_svg_rectangle(picture)} {attributes} href="{data_url(picture.pixels)}"/>'


def _svg_item(item: Item) -> str:
    if isinstance(item, Box):
        return f'<rect {_svg_rectangle(item)} fill="{item.fill}"/>'
    return _svg_text(item) if isinstance(item, TextLine) else _svg_pixels(item)


def to_png(drawing: Drawing, scale: int = 3) -> bytes:
    """The drawing as a PNG file, with `scale` x `scale` pixels for each of its pixels."""
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
    # A square centred on the anchor, so that rotating it does not move the anchor.
    side = 2 * max(length, line)
    ink = Image.new("L", (side, side), 0)
    start = {"start": 0, "middle": -length / 2, "end": -length}[text.anchor]
    ImageDraw.Draw(ink).text((side / 2 + start, side / 2), shown, font=font, fill=255, anchor="lm")
    if text.angle:
        ink = ink.rotate(-text.angle, resample=Image.Resampling.BICUBIC)
    image.paste(_INK, (round(text.x * scale - side / 2), round(text.y * scale - side / 2)), ink)


def text_width(text: str, size: float) -> float:
    """Width of `text` in pixels at that font size."""
    return _font(100).getlength(paintable(text)) * size / 100


def paintable(text: str) -> str:
    """`text` with every character that the font cannot draw written as `U+XXXX`."""
    return "".join(
        char if _drawable(char) else "_" if char == "\u2423" else f"U+{ord(char):04X}" for char in literal.visible(text)
    )


@lru_cache(maxsize=4096)
def _drawable(char: str) -> bool:
    font = _font(16)
    return char.isspace() or bytes(font.getmask(char)) != bytes(font.getmask("\U0010fffd"))


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    path = font_file()
    return ImageFont.truetype(str(path), size) if path else ImageFont.load_default(size)
