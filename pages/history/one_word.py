"""One word at a time: an encoder unrolled, with a state for every token, forwards, backwards or both."""

import numpy as np
import streamlit as st

from model.lessons.recurrence import UnrolledEncoder, context_difference, unroll
from model.networks.recurrent_trace import RecurrentTrace
from pages.history import networks
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from views.components.matrix_row import RowMatrix
from views.components.step_view import Axis, Curve, CurvesPanel, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import percent

RNN, BIDIRECTIONAL = "rnn-vector", "lstm-additive"  # the RNN that ships, and a network whose encoder reads both ways


def render(request: Request) -> None:
    """Choose the direction; walk through the steps."""
    ways = {
        "backwards": say("history.reads.backwards", "Backwards"),
        "forwards": say("history.reads.forwards", "Forwards"),
        "both": say("history.reads.both", "Both"),
    }
    told = say(
        "history.reads.help",
        "The RNN was trained to read backwards. Forwards, the same weights read the sentence in the other order. Both "
        "is the encoder of the LSTM with additive attention.",
    )
    way = widgets.pick(say("history.reads", "The encoder reads"), ways, "direction", help=told)
    if way == "both":
        render_both_ways(request)
    else:
        render_one_way(request, way)
    _render_other_direction(request, way)


def render_one_way(request: Request, way: str) -> None:
    """The RNN, step by step."""
    ids, tokens = networks.encode_source(request)
    found = open_recurrent(RNN).lesson(("unrolled", tuple(ids), way), unroll, ids, way)
    read = [tokens[place] for place in found.order]
    stepper.render(_step_view(found, read), f"steps_{way}")
    st.markdown(prose.block("history", "one-word"))
    st.markdown(prose.block("history", f"one-word-{way}"))
    st.caption(
        prose.block(
            "history", "states-check", difference=checks.format_difference("recurrent states", found.difference)
        )
    )
    arrays = {
        "hidden": found.hidden,
        "from_token": found.from_token,
        "from_state": found.from_state,
        "bias": found.bias,
        "tokens": read,
    }
    _render_files([("h_t", found.hidden)], read, "rnn-states", arrays)


def _render_other_direction(request: Request, way: str) -> None:
    """The same weights, the other order: another last state."""
    found = None
    if way == "forwards":
        ids, _ = networks.encode_source(request)
        lesson = open_recurrent(RNN).lesson
        forwards, backwards = (
            lesson(("unrolled", tuple(ids), order), unroll, ids, order).hidden[-1]
            for order in ("forwards", "backwards")
        )
        apart = np.linalg.norm(forwards - backwards) / np.linalg.norm(backwards)
        found = {"share": percent(float(apart))}
    render_experiment("history-one-word", {"direction": "forwards"}, found)


def render_both_ways(request: Request) -> None:
    """A bidirectional encoder: two states a token."""
    trace = networks.trace_sentence(request, BIDIRECTIONAL)
    service = open_recurrent(BIDIRECTIONAL)
    difference = service.lesson(("context", trace.source_ids), context_difference, trace.source_ids)
    stepper.render(_both_ways_view(trace), "steps_both")
    st.markdown(prose.block("history", "both-ways"))
    st.caption(
        prose.block(
            "history", "both-ways-check", difference=checks.format_difference("one side of a sentence", difference)
        )
    )
    states = [
        (f"{arrow} h_t", trace.encoder[way].hidden) for way, arrow in (("forwards", "\u2192"), ("backwards", "\u2190"))
    ]
    arrays = {f"hidden_{way}": cells.hidden for way, cells in trace.encoder.items()}
    arrays |= {"tokens": list(trace.source_tokens)}
    _render_files(states, trace.source_tokens, "states-both-ways", arrays)


def _step_view(found: UnrolledEncoder, read: list[str]) -> StepView:
    """Step x unit, and the chosen one as a sum."""
    steps = Axis("step", say("stepper.label", "Step"), read, said="token")
    units = Axis("unit", say("history.unit", "Unit"), size=found.hidden.shape[1])
    both = ("step", "unit")
    sum_of_step = say(
        "history.step.sum",
        "Step {step#} reads {step}. In unit {unit#}: h_t = tanh(W x_t + U h_t\u22121 + b) = "
        "tanh({token} + {state} + {bias}) = {hidden}",
    )
    states = say("history.states", "hidden states h_t")
    return StepView(
        (steps, units),
        {
            "hidden": Numbers(found.hidden, both),
            "token": Numbers(found.from_token, both),
            "state": Numbers(found.from_state, both),
            "bias": Numbers(found.bias, ("unit",)),
        },
        (
            FormulaPanel(sum_of_step),
            HeatmapPanel(states, "hidden", "step", "unit", top=1.0),
            CurvesPanel(
                say("history.one-unit", "the chosen unit, step by step"), "step", (Curve("h_t", "hidden"),), -1.0, 1.0
            ),
            CurvesPanel(
                say("history.one-unit.sum", "what goes into the tanh"),
                "step",
                (Curve("W x_t", "token"), Curve("U h_t\u22121", "state")),
            ),
        ),
    )


def _both_ways_view(trace: RecurrentTrace) -> StepView:
    """Token x unit of both directions."""
    forwards, backwards = trace.encoder["forwards"], trace.encoder["backwards"]
    tokens = Axis("token", say("history.token", "Token"), trace.source_tokens, said="token")
    units = Axis("unit", say("history.unit", "Unit"), size=forwards.hidden.shape[1])
    both = ("token", "unit")
    sides = say(
        "history.both.sides",
        "At token {token#}, {token}: the state read forwards has seen tokens 1 to {token#}, the one read backwards "
        "tokens {token#} to the end. In unit {unit#}: \u2192 {forwards}, \u2190 {backwards}",
    )
    return StepView(
        (tokens, units),
        {"forwards": Numbers(forwards.hidden, both), "backwards": Numbers(backwards.hidden, both)},
        (
            FormulaPanel(sides),
            HeatmapPanel(
                say("history.both.forwards", "\u2192 read forwards: left context"), "forwards", *both, wide=False
            ),
            HeatmapPanel(
                say("history.both.backwards", "\u2190 read backwards: right context"), "backwards", *both, wide=False
            ),
        ),
    )


def _render_files(states: list[tuple[str, np.ndarray]], tokens, name: str, arrays: dict) -> None:
    """States as pictures, numbers and a table; several directions stand side by side."""
    plain = [literal.token(token) for token in tokens]
    token, unit = say("column.token", "token"), say("column.unit", "unit")
    pictured = [
        RowMatrix(said, values, rows=tokens, row_title=token, column_title=unit, wide=True) for said, values in states
    ]
    values = np.concatenate([values for _, values in states], axis=1)
    header = [f"{said} {place + 1}" for said, part in states for place in range(part.shape[1])]
    with st.container(horizontal=True):
        files.matrices(pictured, say("history.states", "hidden states h_t"), name)
        rows = [[label, *row] for label, row in zip(plain, values.tolist(), strict=True)]
        files.csv([token, *header], rows, name)
        files.npz(name, arrays)
    files.folded_table(lambda: files.data_frame(values, header, plain, token))
