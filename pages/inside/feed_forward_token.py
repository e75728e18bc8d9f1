"""One token in the feed-forward sub-layer: every number on the way, for all hidden units."""

import numpy as np

from model.lessons.feed_forward import HiddenUnits, Stack
from pages.inside import feed_forward_sums
from pages.shared import stepper
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import paragraph
from views.components.step_view import Axis, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.kind_labels import OF_STACK
from views.text import terms
from views.text.catalogue import say


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
