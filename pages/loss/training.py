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
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

HEADER = (
    Message("column.step", "step"),
    Message("column.epoch", "epoch"),
    Message("training.column.loss", "training loss"),
    Message("training.column.nll", "training -ln p"),
    Message("training.rate", "learning rate"),
    Message("training.column.heldout", "held-out -ln p"),
)


def show(request: Request) -> None:
    """Two panels over one axis, their numbers, and how the reader's own sentence compares."""
    curves = request.service.analysis(("training curves",), lambda _: training_curves(SHIPPED))
    if curves is None:
        st.info(
            say(
                "training.missing",
                "There is no record of this model\u2019s training: `metrics.jsonl` is missing from `assets/translator`"
                " or empty. Restore it with `git checkout -- assets`.",
            )
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        axes = {"steps": say("training.axis.steps", "Steps"), "epochs": say("training.axis.epochs", "Epochs")}
        by_step = widgets.pick(say("training.axis", "Along the axis"), axes, "axis") == "steps"
        at, ends = (curves.steps, curves.heldout_steps) if by_step else (curves.epochs, curves.heldout_epochs)
        drawn = [
            Line(say("training.line.loss", "training loss, smoothed labels"), at, curves.losses, 4),
            Line(say("training.line.nll", "training, -ln p of the right token"), at, curves.nlls, 1),
            Line(
                say("training.line.heldout", "held-out, -ln p of the right token"),
                ends,
                curves.heldout_nlls,
                0,
                marks=True,
            ),
            Line(say("training.rate", "learning rate"), at, curves.rates, 3, panel=1),
        ]
        title = say("column.step", "step") if by_step else say("column.epoch", "epoch")
        titles = say("training.nats", "nats per token"), say("training.rate", "learning rate")
        figure = lines(drawn, inputs.theme(), title, titles, height=520)
        figure.layout.yaxis2.exponentformat = "none"
        text = "Losses and learning rate over the training; the table below has the same numbers."
        chart(figure, "curves", say("training.curves", text))
        rows, header = table(curves), [column() for column in HEADER]
        files.download(files.CSV(), lambda: downloads.table_csv(header, rows), "training.csv")
        files.numbers(lambda: pd.DataFrame(rows, columns=header), "training_table", hide_index=True)
    with right:
        st.markdown(prose.block("loss", "training-curves", decay=curves.average_decay))
        trace = request.trace()
        card = request.service.model.card.get("training", {}).get("heldout_nll", [float("nan")])
        st.caption(
            prose.block(
                "loss",
                "check-curves",
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
