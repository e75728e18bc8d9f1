"""A drawing of boxes, texts, pictures and curves that can be written as SVG and as PNG, with the same result."""

import bisect
import io
import math
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .. import palette
from ..figures.overlay import data_url
from ..text import literal
from ..text.catalogue import Message
from .fonts import FontRun, find_fonts, font_runs, open_font
from .stroke import Stroke, paint_stroke, stroke_svg

FONT = "'Source Sans 3', 'Source Sans Pro', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
LABEL_WIDTH = 200.0  # pixels of the longest label of a row, a column or a token; longer ones are cut
SHORTEST_CUT = 96.0  # pixels that a label has beside a matrix, however small
FOOT = 28  # height of the line about boxes
CAPTION, CAPTION_LINE, CAPTION_WIDTH = 16, 24, 320  # sizes of a caption: type, line, narrowest drawing
BOXES = Message("files.boxes", "A box is a character that no installed font has.")
_INK = palette.INK["light"]
_OTHER_FONTS = 1.3  # width of the widest font of many machines, DejaVu Sans, relative to that of the page
_TO_THE_RIGHT = {"start": 1.0, "middle": 0.5, "end": 0.0}  # share of a text on that side of its anchor


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
    """One line of text, vertically centred on its anchor at x and y; `angle` rotates it clockwise, in degrees.

    Where `text` is cut, `whole` is all of it: its title in an SVG file.
    """

    x: float
    y: float
    text: str
    size: float = 12
    anchor: Literal["start", "middle", "end"] = "start"
    angle: float = 0
    whole: str = ""


@dataclass(frozen=True, eq=False)
class Pixels:
    """A picture `(height, width, 3)` uint8, scaled without smoothing; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    pixels: np.ndarray


Item = Box | TextLine | Pixels | Stroke


@dataclass(frozen=True)
class Drawing:
    """Boxes, texts, pictures and curves, painted in order on white; sizes in pixels.

    `title` describes the drawing for screen readers.
    """

    width: float
    height: float
    title: str
    items: tuple[Item, ...]


def with_caption(drawing: Drawing, text: str) -> Drawing:
    """The drawing with a text below it, in lines as wide as the drawing, or as a legible line if that is narrower."""
    width = max(drawing.width, CAPTION_WIDTH)
    lines = _wrapped(literal.visible(text), width - 2 * CAPTION)
    rows = [
        TextLine(CAPTION, drawing.height + (number + 0.75) * CAPTION_LINE, line, CAPTION)
        for number, line in enumerate(lines)
    ]
    height = drawing.height + (len(lines) + 0.5) * CAPTION_LINE
    return replace(drawing, width=width, height=height, items=(*drawing.items, *rows))


def _wrapped(text: str, width: float) -> list[str]:
    """Lines of at most `width` pixels, broken between words, or within a word that is wider than a line."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if text_width(joined, CAPTION) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if lines[-1] and text_width(lines[-1] + char, CAPTION) > width:
                lines.append("")
            lines[-1] += char
    return lines


def to_svg(drawing: Drawing) -> str:
    """The drawing as an SVG file, with room for texts in the wider fonts of machines that have not the page's."""
    ends = (
        item.x + _OTHER_FONTS * _TO_THE_RIGHT[item.anchor] * text_width(item.text, item.size)
        for item in drawing.items
        if isinstance(item, TextLine) and not item.angle
    )
    width, height = math.ceil(max(drawing.width, *ends, 0)), math.ceil(drawing.height)
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
    title = f"<title>{literal.html(literal.visible(text.whole))}</title>" if text.whole else ""
    shown = literal.isolated(literal.visible(text.text))
    return (
        f'<text x="{text.x:.5g}" y="{text.y:.5g}" font-size="{text.size:g}" text-anchor="{text.anchor}" '
        f'dominant-baseline="central" fill="{_INK}"{rotation}>{title}{literal.html(shown)}</text>'
    )


def _svg_pixels(picture: Pixels) -> str:
    attributes = 'preserveAspectRatio="none" style="image-rendering:pixelated"'
    return f'<image {_svg_rectangle(picture)} {attributes} href="{data_url(picture.pixels)}"/>'


def _svg_item(item: Item) -> str:
    if isinstance(item, Box):
        return f'<rect {_svg_rectangle(item)} fill="{item.fill}"/>'
    if isinstance(item, Stroke):
        return stroke_svg(item)
    return _svg_text(item) if isinstance(item, TextLine) else _svg_pixels(item)


def to_png(drawing: Drawing, scale: int = 3) -> bytes:
    """The drawing as a PNG file, with `scale` x `scale` pixels for each of its pixels.

    A character that no font has is a box; a line at the foot says so.
    """
    if any(_missing(item.text) for item in drawing.items if isinstance(item, TextLine)):
        foot = TextLine(FOOT / 2, drawing.height + FOOT / 2, BOXES(), 11)
        width = max(drawing.width, foot.x + text_width(foot.text, foot.size) + FOOT / 2)
        drawing = replace(drawing, width=width, height=drawing.height + FOOT, items=(*drawing.items, foot))
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
        elif isinstance(item, Stroke):
            paint_stroke(image, item, scale)
        else:
            _paint_text(image, item, scale)
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=6, dpi=(96 * scale, 96 * scale))
    return file.getvalue()


def _paint_text(image: Image.Image, text: TextLine, scale: int) -> None:
    size = round(text.size * scale)
    runs = font_runs(_painted(text.text))
    length, line = math.ceil(sum(_run_width(run, size) for run in runs)), round(text.size * scale * 1.5)
    # Centred on the anchor, and a square where it is rotated, so that rotating it does not move the anchor.
    width = 2 * max(length, line)
    height = width if text.angle else 2 * line
    ink = Image.new("L", (width, height), 0)
    painter = ImageDraw.Draw(ink)
    x = width / 2 + {"start": 0, "middle": -length / 2, "end": -length}[text.anchor]
    baseline = height / 2 + _drop(size)
    for run in runs:
        if run.path is None and find_fonts():
            for char in run.text:
                box = _box_width(char, size)
                corners = (x + size * 0.08, baseline - size * 0.65, x + box - size * 0.08, baseline)
                painter.rectangle(corners, outline=255, width=max(1, size // 16))
                x += box
        else:
            painter.text((x, baseline), run.text, font=open_font(run.path, size), fill=255, anchor="ls")
            x += _run_width(run, size)
    if text.angle:
        ink = ink.rotate(-text.angle, resample=Image.Resampling.BICUBIC)
    image.paste(_INK, (round(text.x * scale - width / 2), round(text.y * scale - height / 2)), ink)


def _drop(size: int) -> float:
    """From the middle of a line down to its baseline, in pixels, for the font of the pages."""
    font = open_font(next(iter(find_fonts()), None), size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        return size * 0.35
    ascent, descent = font.getmetrics()
    return (ascent - descent) / 2


def text_width(text: str, size: float) -> float:
    """Width of `text` in pixels at that font size."""
    return sum(_run_width(run, 100) for run in font_runs(_painted(text))) * size / 100


def fit_label(label: str, size: float, width: float = LABEL_WIDTH) -> tuple[str, str]:
    """A label cut to `width` pixels, with an ellipsis in place of its end, and the whole if it was cut; else "".

    The arguments `text` and `whole` of a `TextLine`.
    """
    label = literal.token(label)
    if text_width(label, size) <= width:
        return label, ""
    letters = bisect.bisect_left(
        range(literal.columns(label)), True, key=lambda count: text_width(literal.fit(label, count + 1), size) > width
    )
    return literal.fit(label, max(1, letters)), label


def wrap(text: str, size: float, width: float) -> list[str]:
    """Break `text` between words into lines of at most `width` pixels; a longer word has a line of its own."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _painted(text: str) -> str:
    """The characters of `text` for which there are fonts."""
    return literal.without_isolates(literal.visible(text))


def _run_width(run: FontRun, size: int) -> float:
    if run.path is None and find_fonts():
        return sum(_box_width(char, size) for char in run.text)
    return open_font(run.path, size).getlength(run.text)


def _box_width(char: str, size: int) -> float:
    """Width of the box for a character that no font has: that of the character, or nearly."""
    return size * (1.0 if unicodedata.east_asian_width(char) in "WF" else 0.6)


def _missing(text: str) -> bool:
    """Whether no font has a character of `text`."""
    return bool(find_fonts()) and any(run.path is None for run in font_runs(_painted(text)))
