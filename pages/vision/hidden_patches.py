"""Patches that nobody may look at: painted on a grid as large as the picture's."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import VisionTrace
from views import patches
from views.address import settings
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, painted
from views.figures import overlay
from views.text import prose

NAME = "vhidden"  # in the session and in the address


def hidden_patches(trace: VisionTrace) -> np.ndarray:
    """The painted patches, `(row, column)` bool, with the grid to paint on beside the picture without them."""
    side = trace.grid[0]
    hidden = painted.decode(settings.held(NAME), side)
    st.markdown(prose.block("what_if", "Paint"))
    grid, picture = st.columns([3, 2])
    names = [str(number + 1) for number in range(side)]
    with grid:
        matrix_row(
            [
                RowMatrix(
                    "May be looked at",
                    (~hidden).astype(np.float32),
                    "vision",
                    names,
                    names,
                    "row",
                    "column",
                    signed=False,
                    words=("hidden", "may be looked at"),
                    paint=True,
                )
            ],
            inputs.theme(),
            "patch_painter",
            inputs.remember_theme,
            lambda cells: _keep(hidden, cells),
        )
    size = trace.pixels.shape[0] // side
    shown = patches.as_bytes(trace.pixels) * ~hidden.repeat(size, axis=0).repeat(size, axis=1)[..., None]
    with picture:
        words = f"The picture; {int(hidden.sum())} of {hidden.size} patches are hidden, here black"
        st.image(overlay.enlarged(shown), width=200, output_format="PNG", alt=words)
    with st.container(horizontal=True):
        st.button("Hide the middle", key="vmiddle", on_click=_hide_middle, args=(side,))
        st.button("Show all patches", key="vshow", on_click=settings.hold, args=(NAME, ""), disabled=not hidden.any())
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
