"""One token in the feed-forward sub-layer: every number on the way, for all hidden units."""

import numpy as np

from model.lessons.feed_forward import HiddenUnits
from pages.shared import stepper
from pages.shared.texts import paragraph
from views.components.step_view import Axis, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.text import terms
from views.text.catalogue import say


def render(hidden_units: HiddenUnits, tokens: tuple[str, ...], stack: str) -> None:
    """Show the numbers; sliders choose the token, one of the d_ff units and one of the d_model dimensions."""
    paragraph("inside", "one-token")
    stepper.render(step_view(hidden_units, tokens, stack), f"fed_{stack}")


def step_view(hidden_units: HiddenUnits, tokens: tuple[str, ...], stack: str) -> StepView:
    """Build the view of x, x W1 + b1, max(0, that) and h W2 + b2 of every token."""
    units, dimensions = (
        [str(number + 1) for number in range(array.shape[1])] for array in (hidden_units.hidden, hidden_units.stream)
    )
    strongest = int(np.argmax(hidden_units.hidden.max(axis=0)))
    token, unit, dimension = (
        Axis("fed_token", terms.TOKEN(), tokens, data_kind="token"),
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
        "sum": Numbers(hidden_units.stream + hidden_units.output, ("fed_token", "fed_dimension")),
    }
    unit_text = say(
        "inside.fed.unit",
        "{fed_token}, unit {fed_unit}: the sum over all dimensions of x W_1, plus b_1, is {before}; "
        "max(0, {before}) = {hidden}",
    )
    dimension_text = say(
        "inside.fed.dimension",
        "{fed_token}, dimension {fed_dimension}: the sum over all units of h W_2, plus b_2, is {output}; added to x, "
        "{x} + {output} = {sum}",
    )
    rows = (
        (say("inside.fed.x", "x"), "x", "fed_dimension", True),
        (say("inside.fed.before", "x W\u2081 + b\u2081, before ReLU"), "before", "fed_unit", True),
        (say("inside.fed.hidden", "h = max(0, x W\u2081 + b\u2081)"), "hidden", "fed_unit", False),
        (say("inside.fed.output", "h W\u2082 + b\u2082"), "output", "fed_dimension", True),
    )
    maps = [HeatmapPanel(name, key, "fed_token", along, kind=stack, signed=signed) for name, key, along, signed in rows]
    return StepView((token, unit, dimension), numbers, (FormulaPanel(unit_text), FormulaPanel(dimension_text), *maps))
