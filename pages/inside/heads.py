"""Heads: shapes on the way, and one wide projection against many small ones."""

from __future__ import annotations

import streamlit as st

from model.lessons.heads import Form, Shape, TwoForms, shape_walk, two_forms
from model.tracing.kinds import KINDS, attention_module
from pages.inside.chosen import choose
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views.controls import widgets
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say
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
    kind, layer = KINDS[chosen.kind.name], chosen.layer
    streams = chosen.inputs
    allowed = chosen.trace.records[chosen.kind.name].allowed
    forms = request.service.lesson(
        ("two forms", chosen.trace.source_ids, chosen.trace.target_ids, chosen.kind.name, chosen.layer),
        lambda network: two_forms(
            attention_module(network, kind, layer), streams.query_input, streams.key_input, allowed
        ),
    )
    st.markdown(prose.block("inside", "two-forms"))
    left, right = st.columns(2, gap="large")
    header = ("", say("inside.forms.wide", "one wide, then split"), say("inside.forms.small", "one for each head"))
    left.html(bars.table(header, counts(forms), say("inside.forms", "Two forms of heads")))
    right.metric(say("inside.forms.difference", "Largest difference of their outputs"), three_digits(forms.difference))
    right.caption(prose.block("inside", "check-heads", difference=checks.said("two forms", forms.difference)))
    config = request.service.model.config
    mine = shape_walk(1, len(streams.query_input), config.d_model, config.n_heads, len(streams.key_input))
    st.markdown(prose.block("inside", "shapes"))
    walk(mine)


@fragment
def walk(mine: list[Shape]) -> None:
    """Shapes for the sentence, and for sizes that the reader types; the paper's at first."""
    with st.container(horizontal=True, gap="medium"):
        labels = (
            say("inside.shapes.sequences", "Sequences"),
            say("inside.shapes.tokens", "Tokens"),
            "d_model",
            say("inside.shapes.heads", "Heads"),
        )
        keys = ("shape_batch", "shape_length", "shape_width", "shape_heads")
        most = (64, 128, 1024, 64)
        sizes = [
            int(widgets.number(label, key, default, 1, top))
            for label, key, default, top in zip(labels, keys, PAPER, most, strict=True)
        ]
    *_, width, count = sizes
    if width % count:
        text = "d_model {width} is not divisible by {heads} heads; every head needs the same width."
        st.warning(say("inside.shapes.indivisible", text, width=width, heads=count))
        return
    other = shape_walk(*sizes)
    lines = [[TENSORS[a.step](), _shape(a), _shape(b)] for a, b in zip(mine, other, strict=True)]
    header = (
        say("column.tensor", "tensor"),
        say("inside.shapes.yours", "your sentence"),
        say("inside.shapes.typed", "these sizes"),
    )
    shown = [[step, *(bars.data(shape, "number") for shape in shapes)] for step, *shapes in lines]
    st.html(bars.table(header, shown, say("inside.shapes.table", "Shapes of multi-head attention")))
    label = say("inside.shapes.csv", "Shapes as CSV")
    files.download(label, lambda: downloads.table_csv(header, lines), "shapes.csv")


def counts(forms: TwoForms) -> list[list[bars.Value]]:
    """What each form needs."""

    def row(name: str, what: str) -> list[bars.Value]:
        return [name, *(bars.data(grouped(getattr(form, what)), "number") for form in _both(forms))]

    shapes = [bars.data(" \u00d7 ".join(map(str, shape)), "number") for shape in forms.shapes]
    return [
        [say("inside.forms.shape", "shape of a projection"), *shapes],
        row(say("inside.forms.parameters", "parameters"), "parameters"),
        row(say("inside.forms.flops", "multiplications and additions"), "flops"),
        row(say("inside.forms.products", "matrix products"), "products"),
    ]


def _both(forms: TwoForms) -> tuple[Form, Form]:
    return forms.split, forms.small


def _shape(step: Shape) -> str:
    return f"({', '.join(map(str, step.shape))})"
