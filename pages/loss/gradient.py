"""Label smoothing and the gradient of the loss with respect to the logits, at one position of the target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model import Trace
from model.networks.loss_terms import LogitGradient, logit_gradient, score_target, smallest_loss, smoothed_target
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.sliders import stepper
from pages.shared.target import target
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import grouped, three_digits

COUNT = 10  # tokens shown: those whose logits are pushed hardest
HEADER = (
    Message("column.token", "token"),
    Message("column.id", "id"),
    Message("loss.column.p", "model p"),
    Message("loss.column.q", "target q"),
    Message("loss.column.gradient", "gradient p - q"),
)


def show(request: Request) -> None:
    """Choose the smoothing and a position; see the target distribution and the push on each logit."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        trace = target(request)
        smoothing = (
            widgets.slider(say("loss.smoothing", "Label smoothing \u03b5, in per cent"), "smoothing", 10, 0, 90) / 100
        )
    if trace is not None:
        with left:
            position(trace, smoothing)
    recipe = request.service.model.card.get("training", {}).get("recipe", {})
    with right:
        st.markdown(
            prose.block(
                "loss",
                "label-smoothing",
                vocabulary=grouped(vocabulary),
                trained=recipe.get("label_smoothing", say("loss.unknown", "unknown")),
                floor=three_digits(smallest_loss(vocabulary, smoothing)),
            )
        )
        st.markdown(prose.block("loss", "gradient"))


def position(trace: Trace, smoothing: float) -> None:
    """The sums over the target, and one position in detail."""
    found = logit_gradient(trace.logits, trace.next_ids, smoothing)
    plain = score_target(trace.logits, trace.next_ids).terms
    floor = smallest_loss(trace.logits.shape[1], smoothing)
    totals = (
        (say("loss.plain", "Plain loss"), plain.mean),
        (say("loss.smoothed", "Smoothed loss"), found.mean),
        (say("loss.smallest", "Smallest possible"), floor),
    )
    for column, (name, value) in zip(st.columns(3), totals, strict=True):
        column.metric(name, three_digits(value))
    last = len(trace.next_ids)
    step = stepper(last, say("loss.position", "Position, 1 to {last}", last=last))
    st.html(
        tokens.label(
            say("loss.position.tokens", "What the decoder was fed, the right token at this position, and what follows")
        )
        + steps.written(trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:])
    )
    rows = table(trace, found, step, smoothing)
    largest = max(abs(row[4]) for row in rows)
    shown = [
        [
            steps.strong(token) if id_ == trace.next_ids[step - 1] else steps.plain(token),
            bars.bar(probability, 1, "decoder"),
            steps.meter(wanted, 1),
            steps.meter(push, largest, signed=True),
        ]
        for token, id_, probability, wanted, push in rows
    ]
    header = [column() for column in HEADER]
    name = say("loss.gradient.table", "Target and gradient at position {position}", position=step)
    st.html(bars.table([header[0], *header[2:]], shown, name))
    total = float(found.gradient[step - 1].sum(dtype=np.float64))
    st.caption(
        prose.block(
            "loss",
            "check-gradient",
            difference=checks.said("loss gradient", found.difference),
            sum=checks.said("gradient sum", abs(total)),
        )
    )
    labelled = [[literal.token(token), *rest] for token, *rest in rows]
    files.download(files.CSV(), lambda: downloads.table_csv(header, labelled), f"gradient-position-{step}.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=header), "gradient_table", hide_index=True)


def table(trace: Trace, found: LogitGradient, step: int, smoothing: float) -> list[tuple]:
    """The right token, then the tokens whose logits are pushed hardest: token, id, p, q, p - q."""
    gradient = found.gradient[step - 1]  # (vocabulary,)
    right = trace.next_ids[step - 1]
    wanted = smoothed_target(len(gradient), right, smoothing).numpy()
    others = [int(id_) for id_ in np.argsort(-np.abs(gradient), kind="stable")[:COUNT] if id_ != right]
    ids = [right, *others][:COUNT]
    labels = trace.tokenizer.labels(ids)
    return [
        (label, id_, float(gradient[id_] + wanted[id_]), float(wanted[id_]), float(gradient[id_]))
        for label, id_ in zip(labels, ids, strict=True)
    ]
