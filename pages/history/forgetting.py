"""What a recurrent encoder forgets: gradients of its last state by input, and how a replaced token's effect fades."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from model import CheckpointError
from model.lessons.forgetting import FEWEST, NETWORKS, Forgetting, load_forgetting
from model.lessons.recurrence_gradients import StateDrift, StateGradients, measure_drift, state_gradients_in_steps
from pages.history import networks
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment, token_value
from pages.shared.models import load_recurrent, open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from server.prefetch import prefetcher
from views.components.step_view import Axis, Curve, CurvesPanel, FormulaPanel, Numbers, StepView
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import Message, Untranslated, say, say_error
from views.text.numbers import percent, three_digits

REPLACEMENTS = ("house", "not", "seven", "she")  # words of one token each


def render(request: Request) -> None:
    """Show the user's sentence token by token, then many sentences by distance."""
    substitute = widgets.select(
        say("history.replacement", "The chosen token is replaced by"),
        {word: Untranslated(word) for word in REPLACEMENTS},
        "replacement",
        width=260,
    )
    ids, tokens = networks.encode_source(request)
    (replacement,) = request.service.model.tokenizer.encode(substitute)
    services = {name: open_recurrent(name) for name in NETWORKS}
    drifts = {
        name: service.lesson(("drift", tuple(ids), replacement), measure_drift, ids, replacement)
        for name, service in services.items()
    }
    sizes = {name: service.lesson_in_steps(*_gradient_arguments(ids)) for name, service in services.items()}
    read_tokens = tokens[::-1]  # both networks read backwards
    stepper.render(_step_view(read_tokens, substitute, sizes, drifts), "forgetting")
    st.markdown(prose.block("history", "forgetting"))
    st.markdown(_sentence_finding(sizes))
    last_drifts = drifts[RNN].hidden[:, -1]  # by token replaced
    strongest = int(last_drifts.argmax())
    result = {
        "token": token_value(read_tokens[strongest]),
        "step": strongest + 1,
        "steps": len(read_tokens),
        "share": percent(float(last_drifts[strongest])),
    }
    render_experiment("history-forgetting", {"replacement": "seven"}, result if substitute == "seven" else None)
    worst = max(gradients.difference for gradients in sizes.values())
    drift_difference = max(state_drift.difference for state_drift in drifts.values())
    fold_check(
        "history",
        "forgetting-check",
        gradient=checks.format_difference("state gradients", worst),
        states=checks.format_difference("replaced token", drift_difference),
    )
    _render_files(read_tokens, sizes, drifts)
    render_measured({name: service.model.weights_sha256 for name, service in services.items()})


def prefetch_gradients() -> None:
    """Compute the Jacobians of the user's sentence while another section is open: they take the longest."""
    text = networks.upcoming_text()

    def begin() -> Iterator[object]:
        for service in map(load_recurrent, NETWORKS):
            ids, _ = networks.encode_text(service, text)
            yield from service.prefetch_lesson(*_gradient_arguments(ids))

    prefetcher().submit(begin)


def _gradient_arguments(ids: list[int]) -> tuple:
    """The cache key, the function that computes in steps, and its argument."""
    return ("gradients", tuple(ids)), state_gradients_in_steps, ids


def _step_view(
    read_tokens: tuple[str, ...], word: str, sizes: dict[str, StateGradients], drifts: dict[str, StateDrift]
) -> StepView:
    """Build the view of gradients and differences over the steps in reading order; the slider chooses a token."""
    tokens = Axis(
        "token",
        say("history.token.read", "Token read at step"),
        read_tokens,
        data_kind="token",
        language="en",
        first=len(read_tokens) // 2,
    )
    steps = Axis("step", say("stepper.label", "Step"), read_tokens, slider=False, data_kind="token", language="en")
    numbers, drift_curves, gradient_curves = {}, [], []
    for (name, state), label in STATES.items():
        key = f"{name}-{state}".replace("-", "_")
        numbers[f"size_{key}"] = Numbers(_by_step(getattr(sizes[name], state)), ("token",))
        numbers[f"drift_{key}"] = Numbers(getattr(drifts[name], state), ("token", "step"))
        numbers[f"last_{key}"] = Numbers(getattr(drifts[name], state)[:, -1], ("token",))
        gradient_curves.append(Curve(label(), f"size_{key}"))
        drift_curves.append(Curve(label(), f"drift_{key}"))
    chosen_text = say(
        "history.forgetting.chosen",
        "{token}: the size of d(last state)/d(input) is {size_rnn_vector_hidden} for the RNN, "
        "{size_lstm_vector_hidden} for h and {size_lstm_vector_cell} for c of the LSTM. If another word replaces "
        "it, the last states differ by {last_rnn_vector_hidden}, {last_lstm_vector_hidden} and "
        "{last_lstm_vector_cell} of their size.",
    )
    gradient_title = say("history.forgetting.size", "size of d(last state)/d(input), logarithmic")
    drift_title = say(
        "history.forgetting.replaced",
        "|h_t \u2212 h\u2032_t| / |h_t| with \u201c{word}\u201d in its place, logarithmic",
        word=word,
    )
    rnn, _, cell = _first_shares(sizes)
    gradient_finding = say(
        "history.forgetting.gradient.finding",
        "The token read first after </s> moves the last state {rnn} as much as the token read last in the RNN, {cell} "
        "as much in the cells of the LSTM",
        rnn=percent(rnn),
        cell=percent(cell),
    )
    drift_finding = say(
        "history.forgetting.drift.finding",
        "Another word for {token}: the last state changes by {last_rnn_vector_hidden} of its size in the RNN, by "
        "{last_lstm_vector_cell} in the cells of the LSTM",
    )
    return StepView(
        (tokens, steps),
        numbers,
        (
            FormulaPanel(chosen_text),
            CurvesPanel(gradient_title, "token", tuple(gradient_curves), log=True, finding=gradient_finding),
            CurvesPanel(drift_title, "step", tuple(drift_curves), log=True, finding=drift_finding),
        ),
    )


def _by_step(by_place: np.ndarray) -> np.ndarray:
    """Reverse an array by token in sentence order into one by step."""
    return by_place[::-1]


def _first_shares(sizes: dict[str, StateGradients]) -> list[float]:
    """The gradient at the word that is read first, without `</s>`, as a share of that at the word read last."""
    first, last = (-2, 0) if len(sizes[RNN].hidden) > 1 else (-1, 0)
    return [float(getattr(sizes[name], state)[first] / getattr(sizes[name], state)[last]) for name, state in STATES]


def _sentence_finding(sizes: dict[str, StateGradients]) -> str:
    """State `_first_shares`."""
    return say(
        "history.forgetting.sentence",
        "**In your sentence**, the token that is read first after `</s>` moves the last state, compared with the token "
        "that is read last: RNN {rnn}, LSTM h {lstm}, LSTM c {cell}.",
        **dict(zip(("rnn", "lstm", "cell"), map(percent, _first_shares(sizes)), strict=True)),
    )


def _render_files(
    read_tokens: tuple[str, ...], sizes: dict[str, StateGradients], drifts: dict[str, StateDrift]
) -> None:
    header = [say("column.step", "step"), say("column.token", "token"), *(label() for label in STATES.values())]
    columns = [_by_step(getattr(sizes[name], state)).tolist() for name, state in STATES]
    rows = [
        [step + 1, literal.token(token), *values]
        for step, (token, *values) in enumerate(zip(read_tokens, *columns, strict=True))
    ]
    arrays = {f"size {name} {state}": getattr(sizes[name], state) for name, state in STATES}
    arrays |= {f"drift {name} {state}": getattr(drifts[name], state) for name, state in STATES}
    with st.container(horizontal=True):
        files.csv(header, rows, "sizes-by-token", say("history.forgetting.csv", "Sizes as CSV"))
        files.npz("forgetting", arrays, say("history.forgetting.npz", "Sizes and differences as NPZ"))
    files.folded_table(lambda: pd.DataFrame(rows, columns=header), "sizes_table", hide_index=True)


# What recurrent encoders forget, by distance, over many held-out sentences: the shipped figures.

RNN, LSTM = NETWORKS
STATES = {
    (RNN, "hidden"): Message("history.forgetting.rnn", "RNN, h"),
    (LSTM, "hidden"): Message("history.forgetting.lstm", "LSTM, h"),
    (LSTM, "cell"): Message("history.forgetting.cell", "LSTM, c"),
}


def render_measured(hashes: dict[str, str]) -> None:
    """Show the shipped measurement, if it belongs to weights with these hashes."""
    try:
        measured = load_forgetting(hashes)
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    st.header(say("history.forgetting.many", "Over many sentences"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with left:
        stepper.render(_measured_view(measured), "forgetting_by_distance")
    with right:
        st.markdown(_finding(measured))
    table = [
        [distance, sizes[0].sentences, *(size.mean for size in sizes), *(size.typical for size in sizes)]
        for distance, sizes in enumerate(zip(*(measured.sizes[name][state] for name, state in STATES), strict=True))
    ]
    names = [label() for label in STATES.values()]
    header = [say("column.distance", "distance"), say("history.forgetting.sentences", "sentences"), *names]
    header += [say("history.forgetting.geometric", "{name}, geometric mean", name=name) for name in names]
    files.csv(header, table, "sizes-by-distance", say("history.forgetting.many.csv", "By distance as CSV"))
    files.folded_table(lambda: pd.DataFrame(table, columns=header), "distance_table", hide_index=True)


def _measured_view(measured: Forgetting) -> StepView:
    """Build the view of the mean by distance; the slider chooses a distance."""
    numbers, curves = {}, []
    for (name, state), label in STATES.items():
        key = f"mean_{name}_{state}".replace("-", "_")
        means = [size.mean for size in measured.sizes[name][state][: measured.farthest + 1]]
        numbers[key] = Numbers(np.array(means), ("distance",))
        curves.append(Curve(label(), key))
    between = say("history.forgetting.distance", "steps between the token and the last state")
    distances = [str(distance) for distance in range(measured.farthest + 1)]
    distance = Axis("distance", between, distances, data_kind="number", ids=distances)
    mean = say("history.forgetting.mean", "mean size of d(last state)/d(input), logarithmic")
    rnn, lstm, cell = (percent(measured.retained(name, state)) for name, state in STATES)
    finding = say(
        "history.forgetting.measured.finding",
        "Over {farthest} steps the RNN keeps {rnn} of the gradient, the LSTM {lstm} in h and {cell} in c",
        farthest=measured.farthest,
        rnn=rnn,
        lstm=lstm,
        cell=cell,
    )
    curves_panel = CurvesPanel(mean, "distance", tuple(curves), log=True, wide=True, finding=finding)
    return StepView((distance,), numbers, (curves_panel,))


def _finding(measured: Forgetting) -> str:
    """State the finding in numbers."""
    shares = {f"{name}-{state}".replace("-", "_"): measured.retained(name, state) for name, state in STATES}
    slower = shares["lstm_vector_cell"] > shares["rnn_vector_hidden"]
    return prose.block(
        "history",
        "forgetting-found" if slower else "forgetting-not-found",
        sentences=measured.sentences,
        fewest=FEWEST,
        farthest=measured.farthest,
        rnn=percent(shares["rnn_vector_hidden"]),
        lstm=percent(shares["lstm_vector_hidden"]),
        cell=percent(shares["lstm_vector_cell"]),
        difference=three_digits(measured.facts["largest_difference_to_autograd"]),
    )
