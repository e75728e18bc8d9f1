"""How the token of a step is chosen: logit, scaled, filtered, probability."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model import Trace
from model.decoding.sampling_stages import SamplingStages, sampling_stages
from pages.shared import checks, files
from pages.shared.opening import Request
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import grouped, percent, three_digits

SHOWN = (5, 10, 20, 50)  # how many tokens the table may have
HEADER = {
    "rank": Message("column.rank", "rank"),
    "token": Message("column.token", "token"),
    "id": Message("column.id", "id"),
    "logit": Message("column.logit", "logit"),
    "plain": Message("decoding.column.before", "probability before"),
    "scaled": Message("decoding.column.scaled", "scaled"),
    "kept": Message("decoding.column.kept", "kept"),
    "probability": Message("column.probability", "probability"),
}


def show(request: Request, trace: Trace, step: int) -> None:
    """Logit, scaled, filtered, probability."""
    st.subheader(say("decoding.choice", "How the token is chosen"), anchor=False)
    temperature, top_k, top_p = settings(request)
    never = request.service.model.config.never_generated
    stages = sampling_stages(trace.logits[step - 1], temperature, top_k, top_p, never)
    count = int(widgets.pick(say("decoding.shown", "Tokens shown"), tuple(map(str, SHOWN)), "shown", "10"))
    rows = table(trace, stages, step, min(count, len(stages.logits) - len(never)))
    taken = trace.next_ids[step - 1]
    shown = [
        [
            str(rank),
            steps.strong(token) if id_ == taken else steps.plain(token),
            logit,
            scaled,
            steps.number(three_digits(scaled)) if kept else steps.quiet(say("decoding.out", "out")),
            bars.bar(probability, 1, "decoder") if kept else steps.quiet("0"),
        ]
        for rank, token, id_, logit, _, scaled, kept, probability in rows
    ]
    names = {field: column() for field, column in HEADER.items()}
    header = [
        names["rank"],
        names["token"],
        names["logit"],
        f"\u00f7 {temperature:g}",
        say("decoding.column.filtered", "filtered"),
        names["probability"],
    ]
    st.html(
        bars.table(header, shown, say("decoding.choice.table", "The most probable tokens of step {step}", step=step))
    )
    st.caption(
        prose.block(
            "decoding",
            "check-choice",
            kept=grouped(int(stages.kept.sum())),
            all=grouped(len(stages.logits)),
            mass=percent(stages.kept_mass),
            difference=checks.said("choice", stages.difference),
        )
    )
    st.markdown(prose.block("decoding", "choice"))
    label, columns = say("decoding.choice.csv", "Choice as CSV"), list(names.values())
    files.download(label, lambda: downloads.table_csv(columns, labelled(rows)), f"step-{step}.csv")
    files.numbers(lambda: pd.DataFrame(labelled(rows), columns=columns), "choice_table", hide_index=True)


def table(trace: Trace, stages: SamplingStages, step: int, count: int) -> list[tuple]:
    """The `count` most probable tokens; the one that was generated follows if it is not among them."""
    order = stages.order
    taken = trace.next_ids[step - 1]
    places = list(range(count))
    written_at = int(np.flatnonzero(order == taken)[0])
    if written_at >= count:
        places.append(written_at)
    labels = trace.tokenizer.labels([int(order[place]) for place in places])
    return [
        (
            place + 1,
            label,
            int(order[place]),
            float(stages.logits[order[place]]),
            float(stages.plain[order[place]]),
            float(stages.scaled[order[place]]),
            bool(stages.kept[order[place]]),
            float(stages.probabilities[order[place]]),
        )
        for place, label in zip(places, labels, strict=True)
    ]


def labelled(rows: list[tuple]) -> list[list]:
    """The same for a file."""
    return [[rank, literal.token(token), *rest] for rank, token, *rest in rows]


def settings(request: Request) -> tuple[float, int, float]:
    """Temperature, top-k and top-p: those of the sampling above, or three sliders to try them."""
    options = request.options
    if options.method == "sampling":
        st.caption(say("decoding.sampling-above", "Temperature, top k and top p are those set above."))
        return options.temperature, options.top_k, options.top_p
    first, second, third = st.columns(3)
    with first:
        temperature = widgets.decimal(say("decoding.temperature", "Temperature"), "try_temperature", 1.0, 0.1, 3.0, 0.1)
    with second:
        top_k = widgets.slider(say("decoding.top-k", "Top k, 0 keeps all"), "try_k", 0, 0, 100)
    with third:
        top_p = widgets.decimal(say("decoding.top-p", "Top p"), "try_p", 1.0, 0.05, 1.0, 0.05)
    return temperature, top_k, top_p
