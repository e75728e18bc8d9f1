"""Vision, any patch: where it looks and who looks at it, in one head or a mean."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import VisionTrace
from pages.shared import files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.maps import Look, all_heads, check_line, choosable, settings
from views import maps
from views.components.patch_picture import Panel, PatchPicture
from views.controls import inputs
from views.export import downloads, drawing
from views.figures.heatmap import HeadMap
from views.text import prose

PANELS = (Panel("Where it looks", "from"), Panel("Who looks at it", "to"))


@fragment
def any_patch(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. The browser redraws a chosen patch's maps at once; this part runs again for the numbers and files."""
    look = settings(trace, "map")
    matrix = maps.one(trace.attention, *look.place)  # (1 + patch, 1 + patch)
    top = float(matrix[1:, 1:].max()) if look.shared else None
    st.markdown(prose.block("vision", "Any patch"))
    with st.container(horizontal=True):
        row, column = inputs.patch(trace.grid)
    choosable(
        PatchPicture(
            look.picture,
            trace.grid,
            PANELS,
            f"Attention, {look.words}",
            (row, column),
            inputs.theme(),
            weights=matrix,
            top=top,
            opacity=look.opacity,
            kept=look.kept,
        ),
        key="any",
    )
    check_line(trace)
    chosen, patch = 1 + row * trace.grid[1] + column, f"the patch in row {row + 1}, column {column + 1}"
    _files(
        look,
        look.head_map(matrix[chosen, 1:], f"where {patch} looks, {look.words}", top),
        look.head_map(matrix[1:, chosen], f"who looks at {patch}, {look.words}", top),
        f"patch-{row + 1}-{column + 1}-{look.words}".replace(",", "").replace(" ", "-"),
    )
    all_heads(trace)


def _files(look: Look, looks: HeadMap, looked: HeadMap, name: str) -> None:
    """Both maps of a patch as files and as a table."""

    header = ["row", "column", "where it looks", "who looks at it"]
    rows = [
        (row + 1, column + 1, float(looks.weights[row, column]), float(looked.weights[row, column]))
        for row, column in np.ndindex(looks.weights.shape)
    ]

    def as_png(shown: HeadMap) -> bytes:
        return drawing.to_png(look.drawn(shown))

    with st.container(horizontal=True):
        files.download("Where it looks as PNG", lambda: as_png(looks), f"from-{name}.png")
        files.download("Who looks at it as PNG", lambda: as_png(looked), f"to-{name}.png")
        files.download("CSV", lambda: downloads.table_csv(header, rows), f"{name}.csv")
    files.numbers(lambda: files.table(rows, header), hide_index=True)
