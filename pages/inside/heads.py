"""Heads: shapes on the way, and one wide projection against many small ones."""

import streamlit as st

from model.lessons.heads import Shape, shape_walk, two_forms
from model.tracing.kinds import KINDS, attention_module
from pages.inside.chosen import choose
from pages.shared import checks, files, tables
from pages.shared.experiment import experiment
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import block, paragraph
from views.controls import widgets
from views.text.catalogue import Message, Name, say
from views.text.numbers import grouped, three_digits

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
        chosen = choose(request, one=False)
    kind, layer, streams = KINDS[chosen.kind.name], chosen.layer, chosen.inputs
    given = streams.query_input, streams.key_input, chosen.trace.records[chosen.kind.name].allowed
    compute = lambda network: two_forms(attention_module(network, kind, layer), *given)  # noqa: E731
    forms = request.service.lesson(("two forms", chosen.key), compute)
    paragraph("inside", "two-forms")
    left, right = st.columns(2, gap="large")
    with left:
        named = {
            "parameters": say("inside.forms.parameters", "parameters"),
            "flops": say("inside.forms.flops", "multiplications and additions"),
            "products": say("inside.forms.products", "matrix products"),
        }
        columns = [tables.Column("", [say("inside.forms.shape", "shape of a projection"), *named.values()])]
        titles = say("inside.forms.wide", "one wide, then split"), say("inside.forms.small", "one for each head")
        for title, shape, form in zip(titles, forms.shapes, (forms.split, forms.small), strict=True):
            needs = [" \u00d7 ".join(map(str, shape)), *(grouped(getattr(form, what)) for what in named)]
            columns.append(tables.name(title, needs, "number"))
        tables.show(columns, say("inside.forms", "Two forms of heads"))
    right.metric(say("inside.forms.difference", "Largest difference of their outputs"), three_digits(forms.difference))
    right.caption(block("inside", "check-heads", difference=checks.said("two forms", forms.difference)))
    config = request.service.model.config
    mine = shape_walk(1, len(streams.query_input), config.d_model, config.n_heads, len(streams.key_input))
    paragraph("inside", "shapes")
    walk(mine)


MANY = 16  # heads


@fragment
def walk(mine: list[Shape]) -> None:
    """Shapes for the sentence, and for sizes that the reader types."""
    boxes = (  # at first a batch of ten sequences of twenty tokens in the paper's base model
        (say("inside.shapes.sequences", "Sequences"), "shape_batch", 10, 64),
        (say("inside.shapes.tokens", "Tokens"), "shape_length", 20, 128),
        (Name("d_model")(), "shape_width", 512, 1024),
        (say("inside.shapes.heads", "Heads"), "shape_heads", 8, 64),
    )
    with st.container(horizontal=True, gap="medium"):
        sizes = [int(widgets.number(label, key, first, 1, most)) for label, key, first, most in boxes]
    *_, width, count = sizes
    if width % count:
        st.warning(block("inside", "indivisible", width=width, heads=count))
        return
    tried = shape_walk(*sizes)
    columns = [
        tables.Column(say("column.tensor", "tensor"), [TENSORS[step.step]() for step in mine]),
        tables.name(say("inside.shapes.yours", "your sentence"), [str(step.shape) for step in mine], "number"),
        tables.name(say("inside.shapes.typed", "these sizes"), [str(step.shape) for step in tried], "number"),
    ]
    tables.show(columns, say("inside.shapes.table", "Shapes of multi-head attention"))
    result = {"d_k": width // count, "first": str(tried[0].shape), "last": str(tried[-1].shape)}
    experiment("inside-heads", {"shape_heads": MANY}, result if count == MANY else None, heads=MANY)
    files.csv(*tables.content(columns), "shapes", say("inside.shapes.csv", "Shapes as CSV"))
