"""How the shipped model was trained: the curves in the record beside its weights."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model.networks.loss_terms import score_target
from model.runtime.training_record import TrainingCurves, training_curves
from model.translator import SHIPPED
from pages.shared import files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.text import prose
from views.text.numbers import three_digits

AXES = ("Steps", "Epochs")
HEADER = ["step", "epoch", "training loss", "training -ln p", "learning rate", "held-out -ln p"]


def show(request: Request) -> None:
    """Two panels over one axis, their numbers, and how the reader's own sentence compares."""
    curves = request.service.analysis(("training curves",), lambda _: training_curves(SHIPPED))
    if curves is None:
        st.info(
            "There is no record of this model\u2019s training: `metrics.jsonl` is missing from `assets/translator`, or "
            "empty. Restore it with `git checkout -- assets`."
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        by_step = widgets.pick("Along the axis", AXES, "axis") == AXES[0]
        at, ends = (curves.steps, curves.heldout_steps) if by_step else (curves.epochs, curves.heldout_epochs)
        drawn = [
            Line("training loss, smoothed labels", at, curves.losses, 4),
            Line("training, -ln p of the right piece", at, curves.nlls, 1),
            Line("held-out, -ln p of the right piece", ends, curves.heldout_nlls, 0, marks=True),
            Line("learning rate", at, curves.rates, 3, panel=1),
        ]
        title = "step" if by_step else "epoch"
        figure = lines(drawn, inputs.theme(), title, ("nats a piece", "learning rate"), height=520)
        figure.layout.yaxis2.exponentformat = "none"
        chart(figure, "curves", "Losses and learning rate over the training; the table below has the same numbers.")
        rows = table(curves)
        files.download("CSV", lambda: downloads.table_csv(HEADER, rows), "training.csv")
        files.numbers(lambda: pd.DataFrame(rows, columns=HEADER), "training_table", hide_index=True)
    with right:
        st.markdown(prose.block("loss", "Training curves").format(decay=curves.average_decay))
        trace = request.trace()
        card = request.service.model.card.get("training", {}).get("heldout_nll", [float("nan")])
        st.caption(
            prose.block("loss", "Proof of the curves").format(
                lines=len(curves.steps),
                epochs=len(curves.heldout_steps),
                train=three_digits(float(curves.nlls[-1])),
                last=three_digits(float(curves.heldout_nlls[-1])),
                card=three_digits(card[-1]),
                yours=three_digits(score_target(trace.logits, trace.next_ids).terms.mean),
            )
        )


def table(curves: TrainingCurves) -> list[list]:
    """Logged points and ends of epochs in the order of their steps."""
    rows = [
        [int(step), float(epoch), float(loss), float(nll), float(rate), None]
        for step, epoch, loss, nll, rate in zip(
            curves.steps, curves.epochs, curves.losses, curves.nlls, curves.rates, strict=True
        )
    ]
    rows += [
        [int(step), float(epoch), None, None, None, float(nll)]
        for step, epoch, nll in zip(curves.heldout_steps, curves.heldout_epochs, curves.heldout_nlls, strict=True)
    ]
    return sorted(rows, key=lambda row: row[0])
