"""Heads: shapes on the way, and one wide projection against many small ones."""

from __future__ import annotations

import streamlit as st

from model.lessons.heads import Shape, TwoForms, shape_walk, two_forms
from model.tracing.kinds import KINDS, attention_module
from pages.inside.chosen import choose
from pages.shared import checks, files, tables
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import block, paragraph
from views.controls import widgets
from views.text.catalogue import Message, Name, say
from views.text.numbers import grouped, three_digits

PAPER = (10, 20, 512, 8)  # a batch of ten sequences of twenty tokens in the paper's base model
TENSORS = {  # what the steps of `shape_walk` are called
    "queries, projected": Message("inside.shapes.projected", "queries, projected"),
    "split into heads": Message("inside.shapes.split", "split into heads"),
    "heads first": Message("inside.shapes.first", "heads first"),
    "scores": Message("inside.shapes.scores", "scores"),
    "weights \u00d7 values": Message("inside.shapes.outputs", "weights \u00d7 values"),
    "heads joined": Message("inside.shapes.joined", "heads joined"),
}


@fragment
def show(request: Request) -> None:
    """Both comparisons. Choosing runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose(request)
    kind, layer, streams = KINDS[chosen.kind.name], chosen.layer, chosen.inputs
    allowed = chosen.trace.records[chosen.kind.name].allowed

    def compute(network) -> TwoForms:
        return two_forms(attention_module(network, kind, layer), streams.query_input, streams.key_input, allowed)

    forms = request.service.lesson(("two forms", chosen.key), compute)
    paragraph("inside", "two-forms")
    left, right = st.columns(2, gap="large")
    with left:
        tables.show(counts(forms), say("inside.forms", "Two forms of heads"))
    right.metric(say("inside.forms.difference", "Largest difference of their outputs"), three_digits(forms.difference))
    right.caption(block("inside", "check-heads", difference=checks.said("two forms", forms.difference)))
    config = request.service.model.config
    mine = shape_walk(1, len(streams.query_input), config.d_model, config.n_heads, len(streams.key_input))
    paragraph("inside", "shapes")
    walk(mine)


@fragment
def walk(mine: list[Shape]) -> None:
    """Shapes for the sentence, and for sizes that the reader types; the paper's at first."""
    boxes = (
        (say("inside.shapes.sequences", "Sequences"), "shape_batch", 64),
        (say("inside.shapes.tokens", "Tokens"), "shape_length", 128),
        (Name("d_model")(), "shape_width", 1024),
        (say("inside.shapes.heads", "Heads"), "shape_heads", 64),
    )
    with st.container(horizontal=True, gap="medium"):
        sizes = [
            int(widgets.number(label, key, default, 1, top))
            for (label, key, top), default in zip(boxes, PAPER, strict=True)
        ]
    *_, width, count = sizes
    if width % count:
        st.warning(block("inside", "indivisible", width=width, heads=count))
        return
    tried = shape_walk(*sizes)
    columns = [
        tables.Column(say("column.tensor", "tensor"), [TENSORS[step.step]() for step in mine]),
        tables.name(say("inside.shapes.yours", "your sentence"), list(map(_shape, mine)), "number"),
        tables.name(say("inside.shapes.typed", "these sizes"), list(map(_shape, tried)), "number"),
    ]
    tables.show(columns, say("inside.shapes.table", "Shapes of multi-head attention"))
    files.csv(*tables.content(columns), "shapes", say("inside.shapes.csv", "Shapes as CSV"))


def counts(forms: TwoForms) -> list[tables.Column]:
    """What each form needs."""
    named = {
        "parameters": say("inside.forms.parameters", "parameters"),
        "flops": say("inside.forms.flops", "multiplications and additions"),
        "products": say("inside.forms.products", "matrix products"),
    }
    titles = say("inside.forms.wide", "one wide, then split"), say("inside.forms.small", "one for each head")
    sides = [
        [" \u00d7 ".join(map(str, shape)), *(grouped(getattr(form, what)) for what in named)]
        for shape, form in zip(forms.shapes, (forms.split, forms.small), strict=True)
    ]
    return [
        tables.Column("", [say("inside.forms.shape", "shape of a projection"), *named.values()]),
        *(tables.name(title, side, "number") for title, side in zip(titles, sides, strict=True)),
    ]


def _shape(step: Shape) -> str:
    return f"({', '.join(map(str, step.shape))})"
