"""Memory layout: strides before and after `transpose`, and what `view` says."""

from __future__ import annotations

import streamlit as st

from model.lessons.memory_layout import Layout, LayoutStory, memory_layout
from pages.shared import files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, whole_numbers, widgets
from views.export import downloads
from views.html import bars
from views.text import prose

SHAPE = "3 5 10 20"
MOST = 40  # on an axis, so that the tensor stays small


@fragment
def show(request: Request) -> None:
    """A tensor of the typed shape, and the model's own. Typing runs only this part again."""
    typed = widgets.text("Shape of a tensor", "shape", SHAPE, width=240)
    try:
        shape = tuple(whole_numbers.parse(typed, "sizes", (2, 4), (1, MOST)))
    except ValueError as error:
        st.warning(str(error))
        return
    story = memory_layout(shape)
    st.markdown(prose.block("inside", "Three layouts"))
    lines = layouts(story)
    header = ("tensor", "shape", "strides", "in order")
    st.html(bars.table(header, lines, "Strides before and after"))
    wanted = _numbers(story.wanted)
    st.markdown(f"`x.transpose(0, 1).view{wanted}` {'answers' if story.message else 'works here: no copy is needed.'}")
    if story.message:
        st.code(story.message, language=None, wrap_lines=True)
    st.markdown(f"`x.transpose(0, 1).contiguous().view{wanted}` works: strides {_numbers(story.merged)}.")
    st.caption(
        prose.block("inside", "Proof of memory").format(
            shared="is the same memory, read in another order" if story.shares_memory else "is a copy"
        )
    )
    offsets(story)
    files.download("Strides as CSV", lambda: downloads.table_csv(header, lines), "strides.csv")


def layouts(story: LayoutStory) -> list[list[bars.Value]]:
    """The three tensors as rows."""
    named = (
        ("x", story.original),
        ("x.transpose(0, 1)", story.transposed),
        ("x.transpose(0, 1).contiguous()", story.contiguous),
    )
    return [
        [name, _numbers(layout.shape), _numbers(layout.strides), "yes" if layout.contiguous else "no"]
        for name, layout in named
    ]


def offsets(story: LayoutStory) -> None:
    """Where in memory the first number of each [i, j] lies."""
    st.markdown(prose.block("inside", "Offsets"))
    last = max(layout.offsets[-1][-1] for layout in (story.original, story.transposed, story.contiguous))

    def drawn(name: str, layout: Layout) -> RowMatrix:
        counted = [list(map(str, range(size))) for size in layout.shape[:2]]
        return RowMatrix(name, layout.offsets, rows=counted[0], columns=counted[1], signed=False, top=1.5 * last)

    matrix_row(
        [
            drawn("x", story.original),
            drawn("transposed", story.transposed),
            drawn("contiguous", story.contiguous),
        ],
        inputs.theme(),
        "offsets",
        inputs.remember_theme,
        beside=3,
    )


def _numbers(numbers: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, numbers))})"
