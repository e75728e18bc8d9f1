"""What recurrent encoders forget, by distance, over many held-out sentences: the shipped figures."""

import numpy as np
import pandas as pd
import streamlit as st

from model import CheckpointError
from model.lessons.forgetting import FEWEST, NETWORKS, Forgetting, load_forgetting
from pages.shared import files, stepper
from views.components.step_view import Axis, Curve, CurvesPanel, Numbers, StepView
from views.text import literal, prose
from views.text.catalogue import Message, say, say_error
from views.text.numbers import percent, three_digits

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
