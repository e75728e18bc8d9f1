"""A drawing of boxes, texts, pictures and curves that can be written as SVG and as PNG, with the same result."""

import bisect
import io
import math
import os
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .. import palette
from ..figures.overlay import data_url
from ..text import literal
from ..text.catalogue import Message

# Fonts for text in picture files: for every character the first font that has it.
#
# In this order: the font of the pages, which is shipped with Streamlit; fonts of the system for scripts that it lacks;
# fonts in packages of Python, which are read as files without importing the package.

REGULAR = 400  # weight; a variable font is opened at its lightest
_PACKAGES = (  # package and its font file
    ("fontpkg_noto_sans", "files/NotoSans[[]*.ttf"),
    ("koreanize_matplotlib", "fonts/NanumGothic.ttf"),
    ("fontpkg_noto_sans_arabic", "files/*.ttf"),
    ("fontpkg_noto_sans_devanagari", "files/*.ttf"),
    ("fontpkg_noto_sans_khmer", "files/*.ttf"),
    ("fontpkg_noto_sans_tamil", "files/*.ttf"),
    ("fontpkg_noto_sans_telugu", "files/*.ttf"),
    ("fontpkg_noto_sans_thai", "files/*.ttf"),
)
_SYSTEM = (  # names of regular fonts of Linux, macOS and Windows that have many scripts
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJK*-Regular.otf",
    "NotoSans*-Regular.ttf",
    "AppleSDGothicNeo.ttc",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "Arial Unicode.ttf",
    "malgun.ttf",
    "msyh.ttc",
    "YuGothR.ttc",
    "Nirmala.ttc",
    "seguisym.ttf",
    "DejaVuSans.ttf",
)
_JOINERS = "\u200c\u200d"
_UNASSIGNED = "\U0010fffd"  # in no font: what it is drawn as stands for every missing character


@dataclass(frozen=True)
class FontRun:
    """Consecutive characters that one font draws; without a path none has them, and each is drawn as a box."""

    text: str
    path: Path | None


def font_runs(text: str) -> list[FontRun]:
    """Split `text` into runs by the font that draws them; a mark or space stays with the letter before it."""
    runs: list[FontRun] = []
    for char in text:
        path: Path | None
        previous = runs[-1] if runs else None
        if previous and previous.path and _joins(char):
            path = previous.path
        else:
            path = next((path for path in find_fonts() if _has(path, char)), None)
        if previous and previous.path == path:
            runs[-1] = FontRun(previous.text + char, path)
        else:
            runs.append(FontRun(char, path))
    return runs


def _joins(char: str) -> bool:
    return char.isspace() or char in _JOINERS or unicodedata.category(char).startswith("M")


@lru_cache(maxsize=64)
def open_font(path: Path | None, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font at `size` pixels and regular weight; without a path Pillow's own."""
    if path is None:
        return ImageFont.load_default(size)
    font = ImageFont.truetype(str(path), size)
    try:
        axes = font.get_variation_axes()
    except OSError:  # not a variable font
        return font
    values = [REGULAR if axis["name"] in (b"Weight", "Weight") else axis["default"] for axis in axes]
    font.set_variation_by_axes([value if value is not None else 0 for value in values])
    return font


@lru_cache(maxsize=1)
def find_fonts() -> tuple[Path, ...]:
    """All fonts that are looked through for a character, in order."""
    return tuple(dict.fromkeys((*_page_font(), *_system_fonts(), *_package_fonts())))


def _page_font() -> Iterator[Path]:
    for folder in _folders_of("streamlit"):
        yield from sorted(folder.glob("static/static/media/SourceSansVF-Upright*.woff2"))


def _package_fonts() -> Iterator[Path]:
    for package, pattern in _PACKAGES:
        for folder in _folders_of(package):
            yield from sorted(folder.glob(pattern))


def _folders_of(package: str) -> list[Path]:
    """Where a package is installed; empty without it. It is not imported."""
    spec = find_spec(package)
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []


def _system_fonts() -> Iterator[Path]:
    if sys.platform == "win32":
        folders = [Path(os.environ.get("WINDIR", "C:/Windows"), "Fonts")]
    elif sys.platform == "darwin":
        folders = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), Path.home() / "Library/Fonts"]
    else:
        folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    files = [path for folder in folders for path in sorted(folder.rglob("*.[to]t[fc]"))]
    for pattern in _SYSTEM:
        yield from (path for path in files if path.match(pattern))


@lru_cache(maxsize=8192)
def _has(path: Path, char: str) -> bool:
    """Whether a font draws a character; a font that cannot be opened draws none."""
    try:
        font = open_font(path, 16)
        return char.isspace() or bytes(font.getmask(char)) != bytes(font.getmask(_UNASSIGNED))
    except OSError:
        return False


# A stroke of constant width along a cubic curve, as SVG and painted on a picture: a ribbon or an arc of the stage.

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
