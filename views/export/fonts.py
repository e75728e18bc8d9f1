"""Fonts for text in picture files: for every character the first font that has it.

In this order: the font of the pages, which is shipped with Streamlit; fonts of the system for scripts that it lacks;
fonts in packages of Python, which are read as files without importing the package.
"""

import os
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

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
