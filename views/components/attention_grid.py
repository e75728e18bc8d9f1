"""The overview: every head of every layer as one small map, drawn and read out in the browser.

The payload is one block of bytes: a little-endian uint32 with the length of a JSON header, the header padded with
spaces to a multiple of four, then the weights `(row, column, query, key)`. Up to `FULL_PRECISION_BYTES` they are
float32 and the read-out is exact to every digit it shows; beyond that they are float16, whose 11 significant bits still
hold three digits down to 0.0001.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from views import palette

FULL_PRECISION_BYTES = 1 << 20

_FILES = Path(__file__).with_suffix("")
_MOUNT = st.components.v2.component(
    "attention_grid",
    html='<div class="grid-root"></div>\n<!-- filled by attention_grid.js -->',
    css=_FILES.with_suffix(".css").read_text(encoding="utf-8"),
    js=_FILES.with_suffix(".js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Sheet:
    """What the overview shows.

    Attributes:
        weights: `(rows, columns, query, key)` float32; here rows are layers and columns heads, means included.
        rows, columns: their names, as `views.maps.names` gives them.
        queries, keys: pieces on the axes of each map.
        kind: decides the colours; `title` names it for screen readers.
        causal: cells above the diagonal are masked and drawn grey.
        shared_scale: one colour scale for all maps; otherwise each map has its own, up to its own largest weight.
        selected: row and column of the map shown in detail.
        theme: "light" or "dark", as far as Python knows; the browser answers if it knows better.
    """

    weights: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    queries: Sequence[str]
    keys: Sequence[str]
    kind: str
    title: str
    causal: bool
    shared_scale: bool
    selected: tuple[int, int]
    theme: palette.Theme


def payload(sheet: Sheet) -> bytes:
    """The bytes that `attention_grid.js` reads; see the module's first lines."""
    exact = sheet.weights.nbytes <= FULL_PRECISION_BYTES
    header = {
        "shape": list(sheet.weights.shape),
        "type": "float32" if exact else "float16",
        "rows": list(sheet.rows),
        "columns": list(sheet.columns),
        "queries": list(sheet.queries),
        "keys": list(sheet.keys),
        "title": sheet.title,
        "causal": sheet.causal,
        "shared": sheet.shared_scale,
        "selected": list(sheet.selected),
        "theme": sheet.theme,
        "scales": {theme: palette.scale(sheet.kind, theme) for theme in ("light", "dark")},
        "masked": palette.MASKED,
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = np.ascontiguousarray(sheet.weights, dtype="<f4" if exact else "<f2")
    return len(text).to_bytes(4, "little") + text + body.tobytes()


def attention_grid(
    sheet: Sheet, key: str, on_select: Callable[[int, int], None], on_theme: Callable[[str], None]
) -> None:
    """Mount the overview.

    Args:
        on_select: called with row and column when a person chooses a map, by click or by keyboard.
        on_theme: called with "light" or "dark" when the page's theme differs from what Python believes.
    """

    def selected() -> None:
        chosen = st.session_state[key].get("chosen")
        cell = valid_cell(chosen, len(sheet.rows), len(sheet.columns))
        if cell is not None:
            on_select(*cell)

    def theme_changed() -> None:
        theme = st.session_state[key].get("theme")
        if theme in ("light", "dark"):
            on_theme(theme)

    _MOUNT(key=key, data=payload(sheet), on_chosen_change=selected, on_theme_change=theme_changed)


def valid_cell(chosen: object, rows: int, columns: int) -> tuple[int, int] | None:
    """What the browser sent as a cell of the sheet, or None if it is not one: browsers can send anything."""
    if not isinstance(chosen, (list, tuple)) or len(chosen) != 2 or not all(type(place) is int for place in chosen):
        return None
    row, column = chosen
    return (row, column) if 0 <= row < rows and 0 <= column < columns else None
