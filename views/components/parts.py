"""What components share: the form of a payload, and the first part of every script."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from views import palette

_FOLDER = Path(__file__).parent


def pack(header: dict, *arrays: np.ndarray) -> bytes:
    """A payload as `unpack` in `shared.js` reads it: one block of bytes.

    A little-endian uint32 with the length of the header, the header as JSON padded with spaces to a multiple of four,
    then the arrays one behind the other. An array that needs alignment must not stand behind one that breaks it.
    """
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return len(text).to_bytes(4, "little") + text + b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)


def scales(kind: str) -> dict[str, tuple[str, ...]]:
    """The colours of a kind in both themes; the browser takes those of the theme it shows."""
    return {theme: palette.scale(kind, theme) for theme in ("light", "dark")}


def script(name: str) -> str:
    """The script of a component: what all share, then its own."""
    return "".join((_FOLDER / f"{part}.js").read_text(encoding="utf-8") for part in ("shared", name))


def style(name: str) -> str:
    """The style sheet of a component."""
    return (_FOLDER / f"{name}.css").read_text(encoding="utf-8")


def cell(chosen: object, rows: int, columns: int) -> tuple[int, int] | None:
    """What the browser sent as row and column, or None if it is no such cell: browsers can send anything."""
    if not isinstance(chosen, (list, tuple)) or len(chosen) != 2 or not all(type(place) is int for place in chosen):
        return None
    row, column = chosen
    return (row, column) if 0 <= row < rows and 0 <= column < columns else None
