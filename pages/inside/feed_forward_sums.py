"""The feed-forward maps in full: one number of each as products and a bias, and the shapes of x, W1, b1, h, W2, b2."""

import math

import streamlit as st

from model.lessons.feed_forward import HiddenUnits, Stack
from model.lessons.feed_forward_sums import LinearSum, feed_forward_shapes, split_sums
from model.lessons.heads import StepShape
from pages.shared import checks, files, tables
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check, paragraph
from views.controls import widgets
from views.html import bars, generated_tokens
from views.text.catalogue import Message, Untranslated, say
from views.text.numbers import grouped

LARGEST = 6  # products that are named; the others are one row
TENSORS: dict[str, Message | Untranslated] = {  # steps of `feed_forward_shapes`
    "x": Message("inside.fed.shape.x", "x, the tokens"),
    "W1": Untranslated("W\u2081"),
    "b1": Untranslated("b\u2081"),
    "x W1 + b1": Untranslated("x W\u2081 + b\u2081"),
    "h": Message("inside.fed.shape.h", "h = max(0, x W\u2081 + b\u2081)"),
    "W2": Untranslated("W\u2082"),
    "b2": Untranslated("b\u2082"),
    "h W2 + b2": Untranslated("h W\u2082 + b\u2082"),
}
WEIGHTS = ("W1", "b1", "W2", "b2")
# Vaswani et al. 2017, table 3, rows (C) and base: d_ff, perplexity and BLEU (development set), millions of parameters
PAPER = ((1024, 5.12, 25.4, 53), (2048, 4.92, 25.8, 65), (4096, 4.75, 26.2, 90))
PAPER_WIDTH = 512  # d_model of all three


def render_sums(
    request: Request, hidden_units: HiddenUnits, place: tuple[Stack, int], key: tuple, chosen: tuple[int, int, int]
) -> None:
    """Show the chosen unit and dimension of a token as sums.

    Args:
        place: stack, and layer from 0.
        key: of the hidden units in the cache.
        chosen: position, unit and dimension, from 0.
    """
    position, unit, dimension = chosen
    sums = request.service.lesson(("sums", key, chosen), split_sums, hidden_units, place, position, unit, dimension)
    into, out = say("column.dimension", "dimension"), say("column.unit", "unit")
    titles = (
        say("inside.fed.sum.unit", "Unit {unit}, its sum and ReLU", unit=unit + 1),
        say("inside.fed.sum.dimension", "Dimension {dimension} of the output", dimension=dimension + 1),
    )
    names = tuple(
        (along, *(Untranslated(letter)() for letter in letters))
        for along, letters in ((into, ("x", "W\u2081", "b\u2081")), (out, ("h", "W\u2082", "b\u2082")))
    )
    for column, title, linear_sum, letters in zip(st.columns(2, gap="large"), titles, sums, names, strict=True):
        with column:
            _render_sum(title, linear_sum, *letters)
    difference = max(linear_sum.difference for linear_sum in sums)
    fold_check("inside", "check-sums", difference=checks.format_difference("fed forward", difference))
    with st.container(horizontal=True):
        for name, linear_sum, letters in zip(("unit", "dimension"), sums, names, strict=True):
            header = [*letters[:3], say("inside.fed.sum.product", "product")]
            rows = [
                [row + 1, *map(float, (linear_sum.inputs[row], linear_sum.weights[row], linear_sum.products[row]))]
                for row in range(len(linear_sum.inputs))
            ]
            label = say("inside.fed.sum.csv", "All products of {letter} as CSV", letter=letters[2])
            files.csv(header, rows, f"{place[0]}-{name}-products", label)


def _render_sum(title: str, linear_sum: LinearSum, along: str, vector: str, matrix: str, bias: str) -> None:
    """Show the largest products, the sum of the others, the bias and the total."""
    rows = linear_sum.largest(LARGEST)
    products, others = linear_sum.products, len(linear_sum.inputs) - len(rows)
    rest = linear_sum.product_sum - float(products[rows].sum())
    top = max(abs(float(products[row])) for row in rows)
    table: list[list[bars.Value]] = [
        [
            str(row + 1),
            float(linear_sum.inputs[row]),
            float(linear_sum.weights[row]),
            bars.bar_cell(float(products[row]), top),
        ]
        for row in rows.tolist()
    ]
    if others:
        text = say("inside.fed.sum.others", "the other {count}", count=others)
        table.append([text, "", "", rest])
    plus = say("inside.fed.sum.bias", "bias {bias}", bias=bias)
    product_sum = say("inside.fed.sum.products", "sum of all products")
    table += [
        [product_sum, "", "", linear_sum.product_sum],
        [plus, "", "", linear_sum.bias],
        [say("inside.fed.sum.total", "sum with the bias"), "", "", linear_sum.total],
    ]
    if linear_sum.activated:
        table.append([say("inside.fed.sum.relu", "after ReLU"), "", "", linear_sum.result])
    header = [along, vector, matrix, say("inside.fed.sum.product", "product")]
    st.html(generated_tokens.label(title) + bars.table(header, table, title, marked=len(table) - 1, whole=True))


@fragment
def render_shapes(length: int, d_model: int, d_ff: int) -> None:
    """Show all shapes for the sentence and for typed sizes. A choice reruns only this part."""
    paragraph("inside", "fed-shapes")
    boxes = (
        (say("inside.shapes.sequences", "Sequences"), "fed_batch", 1, 128),
        (say("inside.fed.tokens", "Tokens"), "fed_length", length, 128),
        (Untranslated("d_model")(), "fed_width", 256, 4096),
        (Untranslated("d_ff")(), "fed_hidden", 1024, 16_384),
    )
    with st.container(horizontal=True, gap="medium"):
        batch, tokens, width, hidden = (
            int(widgets.number(label, key, first, 1, most, varies=True)) for label, key, first, most in boxes
        )
    own, typed = feed_forward_shapes(1, length, d_model, d_ff), feed_forward_shapes(batch, tokens, width, hidden)
    parameters = say("inside.forms.parameters", "parameters")
    columns = [
        tables.TableColumn(say("column.tensor", "tensor"), [*(TENSORS[step.step]() for step in own), parameters]),
        _shape_column(say("inside.shapes.yours", "your sentence"), own),
        _shape_column(say("inside.shapes.typed", "these sizes"), typed),
    ]
    tables.render_table(columns, say("inside.fed.shapes.table", "Shapes of the feed-forward network"))
    files.csv(*tables.header_and_rows(columns), "feed-forward-shapes", say("inside.shapes.csv", "Shapes as CSV"))
    _render_widths(width, hidden)


def _shape_column(title: str, steps: list[StepShape]) -> tables.TableColumn:
    """A column of shapes, and below them the number of parameters."""
    shapes = [str(step.shape) for step in steps]
    count = sum(math.prod(step.shape) for step in steps if step.step in WEIGHTS)
    cells = [bars.data_cell(text, "number") for text in (*shapes, grouped(count))]
    return tables.TableColumn(title, [*shapes, str(count)], cells)


def _render_widths(d_model: int, d_ff: int) -> None:
    """Show what the paper measured for other widths; the row of the same share d_ff / d_model is marked."""
    paragraph("inside", "width-of-d-ff", share=f"{d_ff / d_model:g}")
    rows: list[list[bars.Value]] = [
        [grouped(width), f"{width // PAPER_WIDTH}", f"{perplexity:.2f}", f"{bleu:.1f}", f"{millions}"]
        for width, perplexity, bleu, millions in PAPER
    ]
    header = [
        Untranslated("d_ff")(),
        Untranslated("d_ff / d_model")(),
        say("inside.fed.perplexity", "perplexity"),
        Untranslated("BLEU")(),
        say("inside.fed.millions", "million parameters"),
    ]
    shares = [width * d_model == d_ff * PAPER_WIDTH for width, *_ in PAPER]
    marked = shares.index(True) if True in shares else None
    st.html(
        bars.table(header, rows, say("inside.fed.widths.table", "Quality by d_ff in the paper"), marked, whole=True)
    )
