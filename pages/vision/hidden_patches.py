"""Patches that no position may attend to: painted on a grid as large as the picture's."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import VisionTrace
from pages.shared.charts import matrices
from pages.shared.texts import block, paragraph
from views import patches
from views.address import settings
from views.components.matrix_row import RowMatrix
from views.controls import painted
from views.figures import overlay
from views.text import terms
from views.text.catalogue import say

NAME = "vhidden"  # in the session and in the address


def hidden_patches(trace: VisionTrace) -> np.ndarray:
    """The painted patches, `(row, column)` bool, with the grid to paint on beside the picture without them."""
    side = trace.grid[0]
    hidden = painted.decode(settings.held(NAME), side)
    paragraph("what_if", "paint")
    grid, picture = st.columns([3, 2])
    names = [str(number + 1) for number in range(side)]
    axes, label = (names, names, terms.ROW(), terms.COLUMN()), say("vision.mask", "May be attended to")
    words = say("vision.patch.hidden", "hidden"), say("vision.patch.open", "may be attended to")
    mask = RowMatrix(label, (~hidden).astype(np.float32), "vision", *axes, signed=False, words=words, paint=True)
    with grid:
        matrices([mask], "patch_painter", on_paint=lambda cells: _keep(hidden, cells))
    size = trace.pixels.shape[0] // side
    shown = patches.as_bytes(trace.pixels) * ~hidden.repeat(size, axis=0).repeat(size, axis=1)[..., None]
    with picture:
        words = block("vision", "hidden", count=int(hidden.sum()), all=hidden.size)
        st.image(overlay.enlarged(shown), width=200, output_format="PNG", alt=words)
    with st.container(horizontal=True):
        st.button(say("vision.hide-middle", "Hide the middle"), key="vmiddle", on_click=_hide_middle, args=(side,))
        every = say("vision.show-all", "Show all patches")
        st.button(every, key="vshow", on_click=settings.hold, args=(NAME, ""), disabled=not hidden.any())
    return hidden


def _keep(hidden: np.ndarray, cells: list[tuple[int, int, bool]]) -> None:
    changed = hidden.copy()
    for row, column, seen in cells:
        changed[row, column] = not seen
    settings.hold(NAME, painted.encode(changed))


def _hide_middle(side: int) -> None:
    middle = np.zeros((side, side), dtype=bool)
    middle[side // 4 : side - side // 4, side // 4 : side - side // 4] = True
    settings.hold(NAME, painted.encode(middle))
