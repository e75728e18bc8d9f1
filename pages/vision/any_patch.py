"""Vision, any patch: what it attends to and what attends to it, in one head or a mean."""

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
from views.text.catalogue import Message, say

FROM = Message("vision.from", "What it attends to")
TO = Message("vision.to", "What attends to it")


@fragment
def any_patch(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. The browser redraws a chosen patch's maps at once; this part runs again for the numbers and files."""
    look = settings(trace, "map")
    matrix = maps.one(trace.attention, *look.place)  # (1 + patch, 1 + patch)
    top = float(matrix[1:, 1:].max()) if look.shared else None
    st.markdown(prose.block("vision", "any-patch"))
    with st.container(horizontal=True):
        row, column = inputs.patch(trace.grid)
    choosable(
        PatchPicture(
            look.picture,
            trace.grid,
            (Panel(FROM(), "from"), Panel(TO(), "to")),
            say("vision.attention", "Attention, {place}", place=look.words),
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
    chosen, place = 1 + row * trace.grid[1] + column, {"row": row + 1, "column": column + 1, "place": look.words}
    out = say("vision.from.title", "what the patch in row {row}, column {column} attends to, {place}", **place)
    into = say("vision.to.title", "what attends to the patch in row {row}, column {column}, {place}", **place)
    _files(
        look,
        look.head_map(matrix[chosen, 1:], out, top),
        look.head_map(matrix[1:, chosen], into, top),
        f"patch-{row + 1}-{column + 1}-{look.id}",
    )
    all_heads(trace)


def _files(look: Look, out: HeadMap, into: HeadMap, name: str) -> None:
    """Both maps of a patch as files and as a table."""

    header = [say("axis.row", "row"), say("axis.column", "column"), FROM(), TO()]
    rows = [
        (row + 1, column + 1, float(out.weights[row, column]), float(into.weights[row, column]))
        for row, column in np.ndindex(out.weights.shape)
    ]

    def as_png(shown: HeadMap) -> bytes:
        return drawing.to_png(look.drawn(shown))

    with st.container(horizontal=True):
        files.download(say("files.png.of", "{what} as PNG", what=FROM()), lambda: as_png(out), f"from-{name}.png")
        files.download(say("files.png.of", "{what} as PNG", what=TO()), lambda: as_png(into), f"to-{name}.png")
        files.download(files.CSV(), lambda: downloads.table_csv(header, rows), f"{name}.csv")
    files.numbers(lambda: files.table(rows, header), hide_index=True)
