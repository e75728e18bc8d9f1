"""Heads: shapes at every step, and one wide projection compared with many small or many wide ones."""

import pandas as pd
import streamlit as st

from model.lessons.heads import HeadForms, OperationCounts, StepShape, compute_head_forms, step_shapes
from model.networks.attention import MultiHeadAttention
from model.tracing.kinds import KINDS, attention_module
from pages.inside.chosen_head import ChosenHead, choose_head
from pages.shared import checks, code, files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check, paragraph
from views import map_labels
from views.components.inline_svg import inline_svg
from views.controls import sentence_input, widgets
from views.html.generated_tokens import chart_title
from views.svg.head_arcs import head_arcs, strongest_keys
from views.text import terms
from views.text.catalogue import Message, Untranslated, say
from views.text.numbers import grouped, three_digits
from views.url_state import bound_settings

TENSORS = {  # labels of the steps of `step_shapes`
    "ids": Message("inside.shapes.ids", "ids"),
    "embedding table": Message("inside.shapes.embedding-table", "embedding table, one row a token"),
    "embedded": Message("inside.shapes.embedded", "embeddings"),
    "positions": Message("inside.shapes.positions", "positions, the same for all sequences"),
    "with positions": Message("inside.shapes.with-positions", "embeddings + positions"),
    "w_q": Message("inside.shapes.w-q", "w_q of all heads"),
    "w_k": Message("inside.shapes.w-k", "w_k of all heads"),
    "w_v": Message("inside.shapes.w-v", "w_v of all heads"),
    "of one head": Message("inside.shapes.weights", "W_Q of one head"),
    "queries, projected": Message("inside.shapes.projected", "queries, projected"),
    "split into heads": Message("inside.shapes.split", "split into heads"),
    "heads first": Message("inside.shapes.first", "heads first"),
    "scores": Message("inside.shapes.scores", "scores"),
    "weights \u00d7 values": Message("inside.shapes.outputs", "weights \u00d7 values"),
    "heads back": Message("inside.shapes.back", "tokens first again"),
    "heads joined": Message("inside.shapes.joined", "heads joined"),
    "w_0": Message("inside.shapes.w-0", "w_0, also called W_O"),
    "output": Message("inside.shapes.output", "times W_O"),
}
FORMS = {
    "split": Message("inside.forms.wide", "one wide, then split"),
    "small": Message("inside.forms.small", "one for each head"),
    "full": Message("inside.forms.full", "one of full width for each head"),
    "one": Message("inside.forms.one", "a single head of full width"),
}
COUNTS = {
    "parameters": Message("inside.forms.parameters", "parameters"),
    "flops": Message("inside.forms.flops", "multiplications and additions"),
    "products": Message("inside.forms.products", "matrix products"),
}


@fragment
def render(request: Request) -> None:
    """Show both comparisons. A choice reruns only this section."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose_head(request, layer_and_head=False)
    kind, layer, streams = KINDS[chosen.kind.name], chosen.layer, chosen.inputs
    inputs = streams.query_input, streams.key_input, chosen.trace.records[chosen.kind.name].allowed

    def compute(network) -> HeadForms:
        attention = attention_module(network, kind, layer)
        assert isinstance(attention, MultiHeadAttention)
        return compute_head_forms(attention, *inputs)

    render_arcs(chosen)
    forms = request.service.lesson(("head forms", chosen.key), compute)
    render_forms(forms)
    title = say("inside.forms.code", "One of full width for each head, in PyTorch")
    render_program("inside", "full-width", title, **code.sentence(request), kind=kind.name)
    config = request.service.model.config
    lengths = len(streams.query_input), len(streams.key_input)
    steps = step_shapes(1, lengths[0], config.d_model, config.n_heads, lengths[1], vocabulary=config.vocabulary_size)
    paragraph("inside", "shapes")
    render_shapes(steps)


def render_arcs(chosen: ChosenHead) -> None:
    """Show what every head of the layer weighs most, over the sentence; the numbers in a fold."""
    weights = chosen.trace.attention(chosen.kind.name)[chosen.layer]
    queries, keys = chosen.axes
    places, sizes = strongest_keys(weights)
    means = sizes.mean(axis=1)
    finding = say(
        "inside.arcs.finding",
        "{kind}, layer {layer}: head {most} gives its strongest key {most_share} of the weight on average, head "
        "{least} {least_share}",
        kind=chosen.kind.headline,
        layer=chosen.layer + 1,
        most=int(means.argmax()) + 1,
        most_share=three_digits(float(means.max())),
        least=int(means.argmin()) + 1,
        least_share=three_digits(float(means.min())),
    )
    st.html(chart_title(finding))
    label = say("inside.arcs.label", "Every head of the layer: from each query to the key with its largest weight")
    one_line = chosen.kind.name != "cross"
    inline_svg(
        head_arcs(queries, keys, weights, sentence_input.theme(), label, one_line, chosen.kind.languages), "head_arcs"
    )
    caption("inside", "head-arcs")
    header = [terms.QUERY(), *(say("head-arcs.head", "head {head}", head=head + 1) for head in range(len(weights)))]
    key_labels = map_labels.numbered(keys)
    files.folded_table(
        lambda: pd.DataFrame(
            [
                [
                    name,
                    *(
                        f"{key_labels[key]} {three_digits(float(size))}"
                        for key, size in zip(row, row_sizes, strict=True)
                    ),
                ]
                for name, row, row_sizes in zip(map_labels.numbered(queries), places.T, sizes.T, strict=True)
            ],
            columns=header,
        ),
        "arcs_table",
        hide_index=True,
    )


def render_forms(forms: HeadForms) -> None:
    """Show the costs of each form, and the largest difference of its output from that of the first."""
    paragraph("inside", "two-forms")
    difference_title = say("inside.forms.difference", "largest difference of the output")
    needs = [
        say("inside.forms.shape", "shape of a projection"),
        *(title() for title in COUNTS.values()),
        difference_title,
    ]
    columns = [tables.TableColumn(say("inside.forms.need", "quantity"), needs)]
    for name, title in FORMS.items():
        form: OperationCounts = getattr(forms, name)
        counts = [grouped(getattr(form, what)) for what in COUNTS]
        difference = three_digits(forms.differences[name]) if name in forms.differences else "\u2013"
        shape = " \u00d7 ".join(map(str, forms.shapes[name]))
        columns.append(tables.name_column(title(), [shape, *counts, difference], "number"))
    with st.expander(say("inside.forms.fold", "Parameters and operations of each form")):
        tables.render_table(columns, say("inside.forms", "Forms of heads"))
    differences = {name: checks.format_difference("two forms", forms.differences[name]) for name in ("small", "full")}
    fold_check("inside", "check-heads", **differences)
    times = forms.full.parameters / forms.split.parameters
    paragraph("inside", "full-width", times=times, scaled=forms.differences["full_scaled"])
    work = forms.split.flops / forms.one.flops
    paragraph("inside", "one-head", work=work, difference=forms.differences["one"])
    heads = forms.shapes["full"][1] // forms.shapes["small"][1]
    paragraph("inside", "capacity", work=work, heads=heads)
    label = say("inside.capacity.link", "Which steps wait for others, in recurrent and in other networks")
    st.page_link(
        "pages/history/page.py", label=label, query_params=bound_settings.shared_query() | {"part": "recurrence"}
    )
    header = [say("inside.forms.form", "form"), *(title() for title in COUNTS.values()), difference_title]
    rows = [
        [title(), *(getattr(getattr(forms, name), what) for what in COUNTS), forms.differences.get(name, 0.0)]
        for name, title in FORMS.items()
    ]
    files.csv(header, rows, "head-forms", say("inside.forms.csv", "Forms as CSV"))


MANY_HEADS = 16


@fragment
def render_shapes(sentence_steps: list[StepShape]) -> None:
    """Show the shapes for the sentence and for typed sizes."""
    boxes = (  # at first a batch of ten sequences of twenty tokens in the paper's base model
        (say("inside.shapes.vocabulary", "Vocabulary"), "shape_vocabulary", 100, 1_000_000),
        (say("inside.shapes.sequences", "Sequences"), "shape_batch", 10, 128),
        (say("inside.shapes.tokens", "Query tokens"), "shape_length", 20, 128),
        (say("inside.shapes.keys", "Key tokens"), "shape_keys", 0, 128),
        (Untranslated("d_model")(), "shape_width", 512, 1024),
        (say("inside.shapes.heads", "Heads"), "shape_heads", 8, 64),
        (say("inside.shapes.d-v", "d_v, 0: as d_k"), "shape_d_v", 0, 1024),
    )
    with st.container(horizontal=True, gap="medium"):
        sizes = [int(widgets.number(label, key, first, min(first, 1), most)) for label, key, first, most in boxes]
    vocabulary, sequences, queries, keys, width, count, d_v = sizes
    if width % count:
        st.warning(block("inside", "indivisible", width=width, heads=count))
        return
    typed_steps = step_shapes(sequences, queries, width, count, keys or None, d_v or None, vocabulary)
    columns = [
        tables.TableColumn(say("column.tensor", "tensor"), [TENSORS[step.step]() for step in sentence_steps]),
        tables.name_column(
            say("inside.shapes.yours", "your sentence"), [str(step.shape) for step in sentence_steps], "number"
        ),
        tables.name_column(
            say("inside.shapes.typed", "these sizes"), [str(step.shape) for step in typed_steps], "number"
        ),
    ]
    tables.render_table(columns, say("inside.shapes.table", "Shapes of multi-head attention"))
    result = {"d_k": width // count, "first": str(typed_steps[0].shape), "last": str(typed_steps[-1].shape)}
    render_experiment(
        "inside-heads", {"shape_heads": MANY_HEADS}, result if count == MANY_HEADS else None, heads=MANY_HEADS
    )
    files.csv(*tables.header_and_rows(columns), "shapes", say("inside.shapes.csv", "Shapes as CSV"))
