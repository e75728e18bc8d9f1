"""Memory layout: strides before and after `transpose`, and when `view` fails."""

import math

import numpy as np
import streamlit as st

from model.lessons.memory_layout import MOST_NUMBERS, Layout, TransposeLayouts, describe_layouts, try_views
from pages.shared import files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import whole_numbers, widgets
from views.html.program import message_html
from views.text.catalogue import say, say_error
from views.text.numbers import grouped

SHAPE = "3 5 10 20"
MOST_ON_AXIS = 40  # on an axis, so that the tensor stays small
NAMES = ("x", "x.transpose(0, 1)", "x.transpose(0, 1).contiguous()")
VIEW, MOST_AXES = "-1 200", 6


@fragment
def render(request: Request) -> None:
    """Show a tensor of the typed shape. Typing reruns only this section."""
    typed = widgets.text(say("inside.shape", "Shape of a tensor"), "shape", SHAPE, width=240)
    try:
        shape = tuple(whole_numbers.parse(typed, "sizes", (2, 4), (1, MOST_ON_AXIS)))
    except ValueError as error:
        st.warning(say_error(error))
        return
    if (numbers := math.prod(shape)) > MOST_NUMBERS:
        st.warning(block("inside", "too-many-numbers", count=grouped(numbers), most=grouped(MOST_NUMBERS)))
        return
    layouts = describe_layouts(shape)
    paragraph("inside", "layouts")
    named_layouts = tuple(zip(NAMES, (layouts.original, layouts.transposed, layouts.contiguous), strict=True))
    answers = {True: say("yes", "yes"), False: say("no", "no")}
    columns = [
        tables.name_column(say("column.tensor", "tensor"), [name for name, _ in named_layouts], "name"),
        tables.name_column(
            say("column.shape", "shape"), [_tuple_text(layout.shape) for _, layout in named_layouts], "name"
        ),
        tables.name_column(
            say("column.strides", "strides"), [_tuple_text(layout.strides) for _, layout in named_layouts], "name"
        ),
        tables.TableColumn(
            say("inside.memory.contiguous", "contiguous"), [answers[layout.contiguous] for _, layout in named_layouts]
        ),
    ]
    tables.render_table(columns, say("inside.memory.table", "Strides before and after"))
    view_code = f"`x.transpose(0, 1).view{_tuple_text(layouts.view_shape)}`"
    paragraph("inside", "view-fails" if layouts.message else "view-works", code=view_code)
    if layouts.message:
        st.html(message_html(layouts.message))
    render_experiment("inside-memory", {"shape": "3 1 10 20"}, None if layouts.message else {})
    copy_code = f"`x.transpose(0, 1).contiguous().view{_tuple_text(layouts.view_shape)}`"
    paragraph("inside", "view-of-a-copy", code=copy_code, strides=_tuple_text(layouts.merged))
    caption("inside", "check-memory-shared" if layouts.shares_memory else "check-memory-copied")
    typed_view = render_typed_view(shape)
    render_offsets(layouts)
    files.csv(*tables.header_and_rows(columns), "strides", say("inside.memory.csv", "Strides as CSV"))
    if typed_view:
        render_program("inside", "memory", shape=shape, asked=typed_view)


def render_typed_view(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Show what `view` does with a typed shape; return the shape, empty if the text is not a shape."""
    paragraph("inside", "view-asked")
    typed = widgets.text(say("inside.view", "Shape given to view"), "asked_view", VIEW, width=240)
    try:
        target = tuple(whole_numbers.parse(typed, "sizes", (1, MOST_AXES), (-1, MOST_NUMBERS)))
    except ValueError as error:
        st.warning(say_error(error))
        return ()
    views = try_views(shape, target)
    code = f".view{_tuple_text(target)}"
    columns = [
        tables.name_column(say("column.tensor", "tensor"), [name + code for name in NAMES], "name"),
        tables.name_column(
            say("column.shape", "shape"), [_tuple_text(view.shape) if view.shape else "" for view in views], "name"
        ),
        tables.name_column(
            say("column.strides", "strides"),
            [_tuple_text(view.strides) if view.shape else "" for view in views],
            "name",
        ),
        tables.name_column(say("inside.memory.answer", "result in PyTorch"), [view.message for view in views], "name"),
    ]
    tables.render_table(columns, say("inside.view.table", "Result of view"))
    files.csv(*tables.header_and_rows(columns), "views", say("inside.view.csv", "Views as CSV"))
    return target


def render_offsets(layouts: TransposeLayouts) -> None:
    """Show the offset in memory of the first number of each [i, j]."""
    paragraph("inside", "offsets")
    last = max(layout.offsets[-1][-1] for layout in (layouts.original, layouts.transposed, layouts.contiguous))

    def offset_matrix(name: str, layout: Layout) -> RowMatrix:
        labels = [list(map(str, range(size))) for size in layout.shape[:2]]
        return RowMatrix(
            name, np.array(layout.offsets), rows=labels[0], columns=labels[1], signed=False, top=1.5 * last
        )

    items = [
        offset_matrix("x", layouts.original),
        offset_matrix(say("inside.memory.transposed", "transposed"), layouts.transposed),
        offset_matrix(say("inside.memory.contiguous", "contiguous"), layouts.contiguous),
    ]
    matrix_row(items, "offsets", per_row=3)


def _tuple_text(numbers: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, numbers))})"
