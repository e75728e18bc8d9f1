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
from views.text.numbers import grouped, three_digits

COUNT = 10  # tokens shown: those whose logits are pushed hardest
HEADER = ["piece", "id", "model p", "target q", "gradient p - q"]


def show(request: Request) -> None:
    """Choose the smoothing and a position; see the target distribution and the push on each logit."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        trace = target(request)
        smoothing = widgets.slider("Label smoothing \u03b5, in per cent", "smoothing", 10, 0, 90) / 100
    if trace is not None:
        with left:
            position(trace, smoothing)
    recipe = request.service.model.card.get("training", {}).get("recipe", {})
    with right:
        st.markdown(
            prose.block("loss", "Label smoothing")
            .replace("{vocabulary}", grouped(vocabulary))
            .replace("{trained}", str(recipe.get("label_smoothing", "unknown")))
            .replace("{floor}", three_digits(smallest_loss(vocabulary, smoothing)))
        )
        st.markdown(prose.block("loss", "Gradient"))


def position(trace: Trace, smoothing: float) -> None:
    """The sums over the target, and one position in detail."""
    found = logit_gradient(trace.logits, trace.next_ids, smoothing)
    plain = score_target(trace.logits, trace.next_ids).terms
    floor = smallest_loss(trace.logits.shape[1], smoothing)
    totals = (("Plain loss", plain.mean), ("Smoothed loss", found.mean), ("Smallest possible", floor))
    for column, (name, value) in zip(st.columns(3), totals, strict=True):
        column.metric(name, three_digits(value))
    step = stepper(len(trace.next_ids), f"Position, 1 to {len(trace.next_ids)}")
    st.html(
        tokens.label("What the decoder was fed, the right piece at this position, and what follows")
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
    st.html(bars.table([HEADER[0], *HEADER[2:]], shown, f"Target and gradient at position {step}"))
    total = float(found.gradient[step - 1].sum(dtype=np.float64))
    st.caption(
        prose.block("loss", "Proof of the gradient").format(
            difference=checks.said("loss gradient", found.difference), sum=checks.said("gradient sum", abs(total))
        )
    )
    labelled = [[literal.token(token), *rest] for token, *rest in rows]
    files.download("CSV", lambda: downloads.table_csv(HEADER, labelled), f"gradient-position-{step}.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=HEADER), "gradient_table", hide_index=True)


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
