"""One word at a time: an encoder unrolled, with a state for every token, forwards, backwards or both."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model.lessons.recurrence import UnrolledEncoder, context_difference, first_token_left, unroll
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_trace import RecurrentTrace
from pages.history import networks
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views import map_labels
from views.components.matrix_row import RowMatrix
from views.components.step_view import (
    Axis,
    Curve,
    CurvesPanel,
    FormulaPanel,
    HeatmapPanel,
    Numbers,
    RibbonPanel,
    StepView,
)
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import percent

MOST_UNITS = 16  # in the heatmap
RNN, BIDIRECTIONAL = "rnn-vector", "lstm-additive"  # the RNN that ships, and a network whose encoder reads both ways


def render(request: Request) -> None:
    """Choose the direction of reading; step through the tokens."""
    directions = {
        "backwards": say("history.reads.backwards", "Backwards"),
        "forwards": say("history.reads.forwards", "Forwards"),
        "both": say("history.reads.both", "Both"),
    }
    help = say(
        "history.reads.help",
        "The RNN was trained to read backwards. Forwards, the same weights read the sentence in the other order. Both "
        "is the encoder of the LSTM with additive attention.",
    )
    direction = widgets.pick(say("history.reads", "The encoder reads"), directions, "direction", help=help)
    if direction == "both":
        render_both_ways(request)
    else:
        render_one_way(request, direction)
    _render_other_direction(request, direction)


def render_one_way(request: Request, direction: str) -> None:
    """Show the RNN's states in one direction, step by step."""
    ids, tokens = networks.encode_source(request)
    states = open_recurrent(RNN).lesson(("unrolled", tuple(ids), direction), unroll, ids, direction)
    left = open_recurrent(RNN).lesson(("first token", tuple(ids), direction), _first_token_left, ids, direction)
    read_tokens = [tokens[place] for place in states.order]
    stepper.render(_step_view(states, left, read_tokens), f"steps_{direction}")
    st.markdown(prose.block("history", "one-word"))
    st.markdown(prose.block("history", f"one-word-{direction}"))
    fold_check("history", "states-check", difference=checks.format_difference("recurrent states", states.difference))
    arrays: dict[str, ArrayLike] = {
        "hidden": states.hidden,
        "from_token": states.from_token,
        "from_state": states.from_state,
        "bias": states.bias,
        "tokens": read_tokens,
    }
    _render_files([("h_t", states.hidden)], read_tokens, "rnn-states", arrays)


def _first_token_left(network: RecurrentNetwork, ids: Sequence[int], direction: str) -> np.ndarray:
    return first_token_left(unroll(network, ids, direction), network)


def _render_other_direction(request: Request, direction: str) -> None:
    """Compare the last states of the same weights in both orders."""
    result = None
    if direction == "forwards":
        ids, _ = networks.encode_source(request)
        lesson = open_recurrent(RNN).lesson
        forwards, backwards = (
            lesson(("unrolled", tuple(ids), order), unroll, ids, order).hidden[-1]
            for order in ("forwards", "backwards")
        )
        distance = np.linalg.norm(forwards - backwards) / np.linalg.norm(backwards)
        result = {"share": percent(float(distance))}
    render_experiment("history-one-word", {"direction": "forwards"}, result)


def render_both_ways(request: Request) -> None:
    """Show a bidirectional encoder: two states for each token."""
    trace = networks.trace_sentence(request, BIDIRECTIONAL)
    service = open_recurrent(BIDIRECTIONAL)
    difference = service.lesson(("context", trace.source_ids), context_difference, trace.source_ids)
    stepper.render(_both_ways_view(trace), "steps_both")
    st.markdown(prose.block("history", "both-ways"))
    fold_check("history", "both-ways-check", difference=checks.format_difference("one side of a sentence", difference))
    states = [
        (f"{arrow} h_t", trace.encoder[direction].hidden)
        for direction, arrow in (("forwards", "\u2192"), ("backwards", "\u2190"))
    ]
    arrays: dict[str, ArrayLike] = {f"hidden_{direction}": cells.hidden for direction, cells in trace.encoder.items()}
    arrays |= {"tokens": list(trace.source_tokens)}
    _render_files(states, trace.source_tokens, "states-both-ways", arrays)


def _step_view(encoder_states: UnrolledEncoder, left: np.ndarray, read_tokens: list[str]) -> StepView:
    """Build the view of step x unit, and the chosen unit as a sum; the units are sorted by their variance."""
    last = len(read_tokens) - 1  # where all tokens are read, and the ribbon is whole
    steps = Axis("step", say("stepper.label", "Step"), read_tokens, data_kind="token", language="en", first=last)
    order = np.argsort(-encoder_states.hidden.var(axis=0), kind="stable")
    names = [map_labels.to_id(unit) for unit in order]
    units = Axis("unit", say("history.unit.sorted", "Unit, by variance"), names, data_kind="number", ids=names)
    both = ("step", "unit")
    sum_of_step = say(
        "history.step.sum",
        "Step {step#} reads {step}. In unit {unit}: h_t = tanh(W x_t + U h_t\u22121 + b) = "
        "tanh({token} + {state} + {bias}) = {hidden}",
    )
    states = say("history.states.most", "hidden states h_t of the {count} units that vary most", count=MOST_UNITS)
    first = say("history.first-token", "what is left of the first token: the share of its influence on the state")
    return StepView(
        (steps, units),
        {
            "hidden": Numbers(encoder_states.hidden[:, order], both),
            "token": Numbers(encoder_states.from_token[:, order], both),
            "state": Numbers(encoder_states.from_state[:, order], both),
            "bias": Numbers(encoder_states.bias[order], ("unit",)),
            "left": Numbers(left, ("step",)),
        },
        (
            RibbonPanel(first, "step", "left"),
            HeatmapPanel(states, "hidden", "step", "unit", top=1.0, grows=True, most=MOST_UNITS),
            FormulaPanel(sum_of_step),
            CurvesPanel(
                say("history.one-unit", "the chosen unit, step by step"), "step", (Curve("h_t", "hidden"),), -1.0, 1.0
            ),
            CurvesPanel(
                say("history.one-unit.sum", "input of the tanh"),
                "step",
                (Curve("W x_t", "token"), Curve("U h_t\u22121", "state")),
            ),
        ),
    )


def _both_ways_view(trace: RecurrentTrace) -> StepView:
    """Build the view of token x unit in both directions."""
    forwards, backwards = trace.encoder["forwards"], trace.encoder["backwards"]
    tokens = Axis("token", say("history.token", "Token"), trace.source_tokens, data_kind="token", language="en")
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


def _render_files(states: list[tuple[str, np.ndarray]], tokens, name: str, arrays: dict[str, ArrayLike]) -> None:
    """Offer states as pictures, numbers and a table; the columns of several directions are joined."""
    token_labels = [literal.token(token) for token in tokens]
    token, unit = say("column.token", "token"), say("column.unit", "unit")
    matrices = [
        RowMatrix(title, values, rows=tokens, row_title=token, column_title=unit, wide=True) for title, values in states
    ]
    values = np.concatenate([values for _, values in states], axis=1)
    header = [f"{title} {place + 1}" for title, part in states for place in range(part.shape[1])]
    with st.container(horizontal=True):
        files.matrices(matrices, say("history.states", "hidden states h_t"), name)
        rows = [[label, *row] for label, row in zip(token_labels, values.tolist(), strict=True)]
        files.csv([token, *header], rows, name)
        files.npz(name, arrays)
    files.folded_table(lambda: files.data_frame(values, header, token_labels, token))
