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
from views.text.numbers import grouped, three_digits

PAPER = (10, 20, 512, 8)  # a batch of ten sequences of twenty tokens in the paper's base model


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
    st.markdown(prose.block("inside", "Two forms"))
    left, right = st.columns(2, gap="large")
    left.html(bars.table(("", "one wide, then split", "one for each head"), counts(forms), "Two forms of heads"))
    right.metric("Largest difference of what they write", three_digits(forms.difference))
    right.caption(prose.block("inside", "Proof of heads").format(difference=checks.said("two forms", forms.difference)))
    config = request.service.model.config
    mine = shape_walk(1, len(streams.query_input), config.d_model, config.n_heads, len(streams.key_input))
    st.markdown(prose.block("inside", "Shapes"))
    walk(mine)


@fragment
def walk(mine: list[Shape]) -> None:
    """Shapes for the sentence, and for sizes that the reader types; the paper's at first."""
    with st.container(horizontal=True, gap="medium"):
        labels = ("Sequences", "Pieces", "d_model", "Heads")
        keys = ("shape_batch", "shape_length", "shape_width", "shape_heads")
        most = (64, 128, 1024, 64)
        sizes = [
            int(widgets.number(label, key, default, 1, top))
            for label, key, default, top in zip(labels, keys, PAPER, most, strict=True)
        ]
    try:
        other = shape_walk(*sizes)
    except ValueError as error:
        st.warning(str(error))
        return
    lines = [[a.step, _shape(a), _shape(b)] for a, b in zip(mine, other, strict=True)]
    header = ("tensor", "your sentence", "these sizes")
    st.html(bars.table(header, lines, "Shapes of multi-head attention"))
    files.download("Shapes as CSV", lambda: downloads.table_csv(header, lines), "shapes.csv")


def counts(forms: TwoForms) -> list[list[bars.Value]]:
    """What each form needs."""

    def row(name: str, what: str) -> list[bars.Value]:
        return [name, *(grouped(getattr(form, what)) for form in _both(forms))]

    shapes = [" \u00d7 ".join(map(str, shape)) for shape in forms.shapes]
    return [
        ["shape of a projection", *shapes],
        row("parameters", "parameters"),
        row("multiplications and additions", "flops"),
        row("matrix products", "products"),
    ]


def _both(forms: TwoForms) -> tuple[Form, Form]:
    return forms.split, forms.small


def _shape(step: Shape) -> str:
    return f"({', '.join(map(str, step.shape))})"
