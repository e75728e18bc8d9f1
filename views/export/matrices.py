"""The matrices that a page shows side by side as one picture, with the signs between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from views import palette
from views.components.matrix_row import ALLOWED, RowMatrix, limits
from views.export.drawing import Drawing, Text, text_width
from views.export.panel import Items, Panel, ends, lay_out, shades

_MARGIN = 16
_WIDTH = 1200  # pixels after which the next matrix begins a new line
_SIGN = 20  # size of a sign between two matrices


def matrices_picture(items: Sequence[RowMatrix | str], title: str) -> Drawing:
    """Lay out the matrices in reading order; a string among `items` is a sign between two of them."""
    drawn: Items = [Text(_MARGIN, _MARGIN + 8, title, size=15)]
    left, head, bottom = float(_MARGIN), _MARGIN + 30.0, 0.0
    widest, sign = _MARGIN + text_width(title, 15), ""
    for item in items:
        if isinstance(item, str):
            sign = item
            continue
        shown = panel(item)
        space = text_width(sign, _SIGN) + _MARGIN if sign else 0.0
        parts, right, foot = lay_out(shown, left + space, head)
        if right > _WIDTH and left > _MARGIN:
            left, head = float(_MARGIN), bottom + 2 * _MARGIN
            parts, right, foot = lay_out(shown, left + space, head)
        drawn += [Text(left, head + 60, sign, size=_SIGN), *parts] if sign else parts
        left, bottom, widest, sign = right + _MARGIN, max(bottom, foot), max(widest, right), ""
    return Drawing(widest + _MARGIN, bottom + _MARGIN, title, tuple(drawn))


def panel(matrix: RowMatrix) -> Panel:
    """The numbers of the page in its colours, on white; grey where masked, or where a mask of words hides."""
    values = np.asarray(matrix.values, dtype=np.float32)
    low, high = limits(matrix)
    scale = (palette.signed_scale if matrix.signed else palette.scale)(matrix.kind, "light")
    if matrix.words:
        shown = palette.to_hex(shades(np.full((1, 1), ALLOWED), scale, 0, 255, np.zeros((1, 1), bool))[0, 0])
        scale, low, high = (palette.MASKED["light"], shown), 0.0, 1.0
    hidden = ~np.isfinite(values)
    rows, columns = values.shape
    return Panel(
        f"{matrix.name}, {rows} \u00d7 {columns}",
        shades(values, scale, low, high, hidden),
        matrix.rows,
        matrix.columns,
        scale,
        matrix.words or ends(low, high),
    )
