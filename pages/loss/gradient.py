"""Label smoothing and the gradient of the loss with respect to the logits, at one position of the target."""

from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from model.networks.loss_terms import logit_gradient, score_target, smallest_loss, smoothed_target, uniform_loss
from model.runtime.arrays import softmax
from pages.shared import checks, files, stepper, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import choose_target, step_buttons
from pages.shared.texts import fold_check, paragraph
from views.components.step_view import Axis, BarsPanel, FormulaPanel, Numbers, StepView, number_axis
from views.components.step_view import BarColumn as Bar
from views.html import decoding_steps, generated_tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.text.numbers import grouped
from views.url_state import bound_settings

COUNT = 10  # tokens shown


def render(request: Request) -> None:
    """Choose the smoothing and a position; show the target distribution and the gradient of each logit."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        trace = choose_target(request)
        if trace is not None:
            render_position(request, trace)
    recipe = request.service.model.card.get("training", {}).get("recipe", {})
    with right:
        paragraph(
            "loss",
            "label-smoothing",
            vocabulary=grouped(request.service.model.config.vocabulary_size),
            trained=str(recipe.get("label_smoothing", say("loss.unknown", "unknown"))),
        )
        paragraph("loss", "gradient")


def render_position(request: Request, trace: Trace) -> None:
    """Choose a position and show its tokens."""
    last = len(trace.next_ids)
    step = step_buttons(last, say("loss.position", "Position, 1 to {last}", last=last))
    label = say("loss.position.tokens", "What the decoder was fed, the right token at this position, and what follows")
    written = decoding_steps.token_strip(
        trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    )
    st.html(generated_tokens.label(label) + written)
    render_smoothed(request, trace, step)


@fragment
def render_smoothed(request: Request, trace: Trace, step: int) -> None:
    """Show the sums over the target, and one position in detail. The browser redraws while the slider moves."""
    label = say("loss.smoothing", "Label smoothing \u03b5, in per cent")
    slider = number_axis("smoothing", label, range(91), 10)
    places = stepper.slider_positions((slider,))
    smoothing = slider.values[places["smoothing"]] / 100
    loss_gradient = logit_gradient(trace.logits, trace.next_ids, smoothing)
    gradient, right = loss_gradient.gradient[step - 1], trace.next_ids[step - 1]  # (vocabulary,)
    distribution = smoothed_target(len(gradient), right, smoothing).numpy()
    probabilities = softmax(trace.logits[step - 1].astype(np.float64))
    # the right token, then the most probable of the others, whatever the smoothing
    others = [id_ for id_ in np.argsort(-trace.logits[step - 1], kind="stable")[:COUNT].tolist() if id_ != right]
    ids = [right, *others][:COUNT]
    labels, along = trace.tokenizer.labels(ids), ("row",)
    plain = score_target(trace.logits, trace.next_ids).terms.mean
    numbers = {
        "p": Numbers(probabilities[ids], along),
        "q": Numbers(distribution[ids], along),
        "gradient": Numbers(gradient[ids], along),
        "plain": Numbers(np.array(plain)),
        "even": Numbers(np.array(uniform_loss(trace.logits))),
        "smoothed": Numbers(np.array(loss_gradient.mean)),
        "smallest": Numbers(np.array(smallest_loss(len(gradient), smoothing))),
        "vocabulary": Numbers(np.array(len(gradient)), whole=True),
    }
    losses = say(
        "loss.losses",
        "Plain loss {plain}, smoothed loss {smoothed}; the smoothed loss of no prediction is below {smallest}.",
    )
    columns = (
        Bar(say("loss.column.p", "model p"), "p", "decoder", 1.0),
        Bar(say("loss.column.q", "target q"), "q", "decoder", 1.0),
        Bar(say("loss.column.gradient", "gradient p \u2212 q"), "gradient", top=1.0, signed=True),
    )
    table_name = say("loss.gradient.table", "Target and gradient at position {position}", position=step)
    view = StepView(
        (
            slider,
            Axis(
                "row", terms.TOKEN(), list(map(literal.token, labels)), slider=False, data_kind="token", language="fr"
            ),
        ),
        numbers,
        (FormulaPanel(losses), BarsPanel(table_name, "row", columns, wide=True, taken=0)),
        "smoothing",
        places,
    )
    stepper.mount(view, places, "smoothed")
    result = {"smallest": smallest_loss(len(gradient), smoothing), "loss": plain}
    render_experiment(
        "loss-smoothing", partial(bound_settings.store_text, "smoothing", "0"), None if smoothing else result
    )
    total = checks.format_difference("gradient sum", abs(float(gradient.sum(dtype=np.float64))))
    fold_check(
        "loss",
        "check-gradient",
        difference=checks.format_difference("loss gradient", loss_gradient.difference),
        sum=total,
    )
    file_columns = [
        TableColumn(terms.TOKEN(), list(map(literal.token, labels))),
        TableColumn(say("column.id", "id"), ids),
        *(TableColumn(column.name, numbers[column.numbers].values) for column in columns),
    ]
    files.csv_and_table(*tables.header_and_rows(file_columns), f"gradient-position-{step}", key="gradient_table")
    values = {"sentence": request.text, "target_ids": trace.next_ids}
    render_program("loss", "smoothing-gradient", **values, position=step, smoothing=smoothing)
