"""The feed-forward sub-layer: which hidden units fire for each token, and how strongly."""

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.feed_forward import HiddenUnits, Stack, measure_hidden_units
from pages.inside import feed_forward_sums
from pages.shared import checks, files, stepper, tables
from pages.shared.charts import metrics
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check, paragraph
from views import map_labels
from views.components.matrix_row import RowMatrix, matrix_row
from views.components.step_view import Axis, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.controls import widgets
from views.html import bars
from views.kind_labels import OF_STACK
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import grouped, percent, three_digits

UNITS = 40  # drawn; the download has the numbers of all
STRONGEST = 4  # named for each token


@fragment
def render(request: Request) -> None:
    """Show one layer's hidden units. A choice reruns only this section."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack, tokens = choose_stack(trace)
        layers = map_labels.ids_with_mean(len(trace.encoder_hidden if stack == "encoder" else trace.decoder_hidden))[
            :-1
        ]
        layer = int(widgets.select(terms.LAYER(), layers, "layer", width=110)) - 1
    key = ("firing", trace.source_ids, trace.target_ids, stack, layer)
    hidden_units = request.service.lesson(key, measure_hidden_units, trace, stack, layer)
    d_ff = hidden_units.hidden.shape[1]
    metrics(
        (
            say("inside.widths", "Widths"),
            f"{hidden_units.d_model} \u2192 {grouped(d_ff)} \u2192 {hidden_units.d_model}",
        ),
        (say("inside.units.mean", "Units that fire, on average"), percent(hidden_units.share)),
        (say("inside.units.never", "Units that fire for no token"), _share_of_units(hidden_units.never, d_ff)),
    )
    fold_check(
        "inside",
        "check-feed-forward",
        parameters=grouped(hidden_units.parameters),
        hidden=checks.format_difference("hidden units", hidden_units.hidden_difference),
        sublayer_output=checks.format_difference("fed forward", hidden_units.output_difference),
        alone=checks.format_difference("fed forward alone", hidden_units.alone_difference),
    )
    first = request.service.lesson((*key[:-1], 0), measure_hidden_units, trace, stack, 0)
    result = {"layer": layer + 1, "last": percent(hidden_units.share), "first": percent(first.share)}
    render_experiment("inside-feed-forward", {"layer": layers[-1]}, result if str(layer + 1) == layers[-1] else None)
    render_token(request, hidden_units, tokens, (stack, layer), key)
    feed_forward_sums.render_shapes(len(tokens), hidden_units.d_model, d_ff)
    render_units(hidden_units, tokens, stack)
    render_table(hidden_units, tokens, stack)


def choose_stack(trace: Trace) -> tuple[Stack, tuple[str, ...]]:
    """Choose a stack, "encoder" or "decoder"; return it with the tokens that it reads."""
    stacks: dict[Stack, str] = {"encoder": say("stack.encoder", "Encoder"), "decoder": say("stack.decoder", "Decoder")}
    stack = widgets.pick(say("stack", "Stack"), stacks, "stack")
    return stack, trace.source_tokens if stack == "encoder" else trace.target_tokens


def _share_of_units(count: int, d_ff: int) -> str:
    return say("inside.units.share", "{count} of {all}", count=grouped(count), all=grouped(d_ff))


def render_units(hidden_units: HiddenUnits, tokens: tuple[str, ...], stack: str) -> None:
    """Show the units with the strongest activations in the sentence."""
    strongest = np.argsort(-hidden_units.hidden.max(axis=0), kind="stable")[:UNITS]
    paragraph("inside", "units", count=len(strongest))
    name, names = say("inside.activation", "Activation"), [f"{unit + 1}" for unit in strongest]
    axes = terms.TOKEN(), say("column.unit", "unit")
    values, languages = hidden_units.hidden[:, strongest], (OF_STACK[stack], "")
    items = [RowMatrix(name, values, stack, tokens, names, *axes, signed=False, wide=True, languages=languages)]
    matrix_row(items, "units")
    titles = {
        "encoder": say("inside.units.encoder", "Strongest units of the feed-forward layer, encoder"),
        "decoder": say("inside.units.decoder", "Strongest units of the feed-forward layer, decoder"),
    }
    with st.container(horizontal=True):
        files.matrices(items, titles[stack], f"{stack}-units", say("inside.units", "Units"))


def render_table(hidden_units: HiddenUnits, tokens: tuple[str, ...], stack: str) -> None:
    """Show how many units fire for each token, and the strongest."""
    d_ff = hidden_units.hidden.shape[1]
    fired = [int(count) for count in hidden_units.fired]
    strongest = [zip(*hidden_units.strongest(place, STRONGEST), strict=True) for place in range(len(tokens))]
    strongest_texts = [
        ",  ".join(f"{unit + 1}: {three_digits(float(value))}" for unit, value in units) for units in strongest
    ]
    shares = [bars.bar_cell(count, d_ff, stack, _share_of_units(count, d_ff)) for count in fired]
    columns = [
        tables.name_column(terms.TOKEN(), map_labels.numbered(tokens), language=OF_STACK[stack]),
        tables.TableColumn(say("inside.column.fired", "units that fire"), fired, shares),
        tables.name_column(say("inside.column.strongest", "strongest units: activation"), strongest_texts, "number"),
    ]
    tables.render_table(columns, say("inside.units.table", "Units by token"))
    arrays = {name: getattr(hidden_units, name) for name in ("stream", "before", "hidden", "output")}
    files.npz(f"{stack}-hidden", arrays | {"tokens": np.array(tokens)}, say("inside.units.npz", "All units as NPZ"))


# One token in the feed-forward sub-layer: every number on the way, for all hidden units.


@fragment
def render_token(
    request: Request, hidden_units: HiddenUnits, tokens: tuple[str, ...], place: tuple[Stack, int], key: tuple
) -> None:
    """Show the numbers; sliders choose the token, one of the d_ff units and one of the d_model dimensions.

    Args:
        place: stack, and layer from 0.
        key: of the hidden units in the cache.
    """
    paragraph("inside", "one-token")
    view = step_view(hidden_units, tokens, place[0])
    positions = stepper.slider_positions(view.axes)
    stepper.mount(view, positions, f"fed_{place[0]}")
    position, unit, dimension = (positions[axis.id] for axis in view.axes)
    feed_forward_sums.render_sums(request, hidden_units, place, key, (position, unit, dimension))


def step_view(hidden_units: HiddenUnits, tokens: tuple[str, ...], stack: str) -> StepView:
    """Build the view of x, x W1 + b1, max(0, that) and h W2 + b2 of every token."""
    units, dimensions = (
        [str(number + 1) for number in range(array.shape[1])] for array in (hidden_units.hidden, hidden_units.stream)
    )
    strongest = int(np.argmax(hidden_units.hidden.max(axis=0)))
    token, unit, dimension = (
        Axis("fed_token", terms.TOKEN(), tokens, data_kind="token", language=OF_STACK[stack]),
        Axis(
            "fed_unit",
            say("column.unit", "unit"),
            units,
            data_kind="number",
            ids=units,
            first=strongest,
            show_labels=False,
        ),
        Axis(
            "fed_dimension",
            say("column.dimension", "dimension"),
            dimensions,
            data_kind="number",
            ids=dimensions,
            show_labels=False,
        ),
    )
    numbers = {
        "x": Numbers(hidden_units.stream, ("fed_token", "fed_dimension")),
        "before": Numbers(hidden_units.before, ("fed_token", "fed_unit")),
        "hidden": Numbers(hidden_units.hidden, ("fed_token", "fed_unit")),
        "output": Numbers(hidden_units.output, ("fed_token", "fed_dimension")),
        "products": Numbers(hidden_units.before - hidden_units.first_bias, ("fed_token", "fed_unit")),
        "first_bias": Numbers(hidden_units.first_bias, ("fed_unit",)),
        "unit_products": Numbers(hidden_units.output - hidden_units.second_bias, ("fed_token", "fed_dimension")),
        "second_bias": Numbers(hidden_units.second_bias, ("fed_dimension",)),
        "sum": Numbers(hidden_units.stream + hidden_units.output, ("fed_token", "fed_dimension")),
    }
    unit_text = say(
        "inside.fed.unit",
        "{fed_token}, unit {fed_unit}: the sum over all dimensions of x W_1 is {products}; plus b_1: "
        "{products} + {first_bias} = {before}; max(0, {before}) = {hidden}",
    )
    dimension_text = say(
        "inside.fed.dimension",
        "{fed_token}, dimension {fed_dimension}: the sum over all units of h W_2 is {unit_products}; plus b_2: "
        "{unit_products} + {second_bias} = {output}; added to x: {x} + {output} = {sum}",
    )
    rows = (
        (say("inside.fed.x", "x"), "x", "fed_dimension", True),
        (say("inside.fed.before", "x W\u2081 + b\u2081, before ReLU"), "before", "fed_unit", True),
        (say("inside.fed.hidden", "h = max(0, x W\u2081 + b\u2081)"), "hidden", "fed_unit", False),
        (say("inside.fed.output", "h W\u2082 + b\u2082"), "output", "fed_dimension", True),
    )
    maps = [HeatmapPanel(name, key, "fed_token", along, kind=stack, signed=signed) for name, key, along, signed in rows]
    return StepView((token, unit, dimension), numbers, (FormulaPanel(unit_text), FormulaPanel(dimension_text), *maps))
