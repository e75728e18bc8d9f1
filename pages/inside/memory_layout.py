"""Memory layout: strides before and after `transpose`, and what `view` says."""

import streamlit as st

from model.lessons.memory_layout import MOST_NUMBERS, Layout, TransposeLayouts, describe_layouts, try_views
from pages.shared import files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import caption, paragraph
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import whole_numbers, widgets
from views.text.catalogue import say, say_error

SHAPE = "3 5 10 20"
MOST_ON_AXIS = 40  # on an axis, so that the tensor stays small
NAMES = ("x", "x.transpose(0, 1)", "x.transpose(0, 1).contiguous()")
VIEW, MOST_AXES = "-1 200", 6


@fragment
def render(request: Request) -> None:
    """A tensor of the typed shape, and the model's own. Typing runs only this part again."""
    typed = widgets.text(say("inside.shape", "Shape of a tensor"), "shape", SHAPE, width=240)
    try:
        shape = tuple(whole_numbers.parse(typed, "sizes", (2, 4), (1, MOST_ON_AXIS)))
    except ValueError as error:
        st.warning(say_error(error))
        return
    story = describe_layouts(shape)
    paragraph("inside", "layouts")
    named = tuple(zip(NAMES, (story.original, story.transposed, story.contiguous), strict=True))
    said = {True: say("yes", "yes"), False: say("no", "no")}
    columns = [
        tables.name_column(say("column.tensor", "tensor"), [name for name, _ in named], "name"),
        tables.name_column(say("column.shape", "shape"), [_tuple_text(layout.shape) for _, layout in named], "name"),
        tables.name_column(
            say("column.strides", "strides"), [_tuple_text(layout.strides) for _, layout in named], "name"
        ),
        tables.TableColumn(
            say("inside.memory.contiguous", "contiguous"), [said[layout.contiguous] for _, layout in named]
        ),
    ]
    tables.render_table(columns, say("inside.memory.table", "Strides before and after"))
    viewed = f"`x.transpose(0, 1).view{_tuple_text(story.wanted)}`"
    paragraph("inside", "view-fails" if story.message else "view-works", code=viewed)
    if story.message:
        st.code(story.message, language=None, wrap_lines=True)
    render_experiment("inside-memory", {"shape": "3 1 10 20"}, None if story.message else {})
    copied = f"`x.transpose(0, 1).contiguous().view{_tuple_text(story.wanted)}`"
    paragraph("inside", "view-of-a-copy", code=copied, strides=_tuple_text(story.merged))
    caption("inside", "check-memory-shared" if story.shares_memory else "check-memory-copied")
    asked = render_typed_view(shape)
    render_offsets(story)
    files.csv(*tables.header_and_rows(columns), "strides", say("inside.memory.csv", "Strides as CSV"))
    if asked:
        render_program("inside", "memory", shape=shape, asked=asked)


def render_typed_view(shape: tuple[int, ...]) -> tuple[int, ...]:
    """What PyTorch answers to a shape that the reader asks `view` for; returns the shape, empty where it is none."""
    paragraph("inside", "view-asked")
    typed = widgets.text(say("inside.view", "Shape that view is asked for"), "asked_view", VIEW, width=240)
    try:
        target = tuple(whole_numbers.parse(typed, "sizes", (1, MOST_AXES), (-1, MOST_NUMBERS)))
    except ValueError as error:
        st.warning(say_error(error))
        return ()
    found = try_views(shape, target)
    code = f".view{_tuple_text(target)}"
    columns = [
        tables.name_column(say("column.tensor", "tensor"), [name + code for name in NAMES], "name"),
        tables.name_column(
            say("column.shape", "shape"), [_tuple_text(view.shape) if view.shape else "" for view in found], "name"
        ),
        tables.name_column(
            say("column.strides", "strides"),
            [_tuple_text(view.strides) if view.shape else "" for view in found],
            "name",
        ),
        tables.name_column(say("inside.memory.answer", "what PyTorch says"), [view.message for view in found], "name"),
    ]
    tables.render_table(columns, say("inside.view.table", "What view answers"))
    files.csv(*tables.header_and_rows(columns), "views", say("inside.view.csv", "Views as CSV"))
    return target


def render_offsets(story: TransposeLayouts) -> None:
    """Where in memory the first number of each [i, j] lies."""
    paragraph("inside", "offsets")
    last = max(layout.offsets[-1][-1] for layout in (story.original, story.transposed, story.contiguous))

    def drawn(name: str, layout: Layout) -> RowMatrix:
        counted = [list(map(str, range(size))) for size in layout.shape[:2]]
        return RowMatrix(name, layout.offsets, rows=counted[0], columns=counted[1], signed=False, top=1.5 * last)

    items = [
        drawn("x", story.original),
        drawn(say("inside.memory.transposed", "transposed"), story.transposed),
        drawn(say("inside.memory.contiguous", "contiguous"), story.contiguous),
    ]
    matrix_row(items, "offsets", beside=3)


def _tuple_text(numbers: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, numbers))})"
