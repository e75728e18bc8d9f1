"""How the shipped model was trained: the curves of the record next to its weights."""

import streamlit as st

from model.networks.loss_terms import score_target
from model.runtime.training_record import training_curves
from pages.shared import files
from pages.shared.charts import chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, lines
from views.text.catalogue import Message, say

STEP, EPOCH = Message("training.step", "step"), Message("column.epoch", "epoch")
RATE = Message("training.rate", "learning rate")


def render(request: Request) -> None:
    """Show two panels over one axis, their numbers, and the loss of the user's sentence for comparison."""
    curves = request.service.analysis(("training curves",), lambda model: training_curves(model.folder))
    if curves is None:
        st.info(block("loss", "no-record"))
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        axes = {"steps": say("training.axis.steps", "Steps"), "epochs": say("training.axis.epochs", "Epochs")}
        by_step = widgets.pick(say("training.axis", "Along the axis"), axes, "axis") == "steps"
        x, epoch_ends = (curves.steps, curves.heldout_steps) if by_step else (curves.epochs, curves.heldout_epochs)
        heldout_label = say("training.line.heldout", "held-out, -ln p of the right token")
        series = [
            ChartLine(say("training.line.loss", "training loss, smoothed labels"), x, curves.losses, 4),
            ChartLine(say("training.line.nll", "training, -ln p of the right token"), x, curves.nlls, 1),
            ChartLine(heldout_label, epoch_ends, curves.heldout_nlls, 0, marks=True),
            ChartLine(RATE(), x, curves.rates, 3, panel=1),
        ]
        titles = say("training.nats", "nats per token"), RATE()
        figure = lines(series, sentence_input.theme(), STEP() if by_step else EPOCH(), titles, height=520)
        chart(figure, "curves", block("loss", "curves-alt"))
        header = [STEP(), EPOCH(), say("training.column.loss", "training loss")]
        header += [
            say("training.column.nll", "training -ln p"),
            RATE(),
            say("training.column.heldout", "held-out -ln p"),
        ]
        # logged points and ends of epochs, sorted by step
        points = zip(curves.steps, curves.epochs, curves.losses, curves.nlls, curves.rates, strict=True)
        rows = [[int(step), *map(float, values), None] for step, *values in points]
        ends = zip(curves.heldout_steps, curves.heldout_epochs, curves.heldout_nlls, strict=True)
        rows += [[int(step), float(epoch), None, None, None, float(nll)] for step, epoch, nll in ends]
        files.csv_and_table(header, sorted(rows, key=lambda row: row[0]), "training", key="training_table")
    with right:
        paragraph("loss", "training-curves", decay=str(curves.average_decay))
        heldout = curves.heldout_nlls
        shares = [(heldout[0] - value) / (heldout[0] - min(heldout)) for value in heldout]
        at_share = next(place for place, share in enumerate(shares) if share >= 0.9)
        result = {"epoch": at_share + 1, "epochs": len(heldout), "first": heldout[0], "there": heldout[at_share]}
        result |= {"lowest": min(heldout)}
        render_experiment("loss-training-curves", {"axis": "epochs"}, None if by_step else result)
        trace = request.trace()
        card = request.service.model.card.get("training", {}).get("heldout_nll", [float("nan")])
        fold_check(
            "loss",
            "check-curves",
            lines=len(curves.steps),
            epochs=len(curves.heldout_steps),
            train=curves.nlls[-1],
            last=curves.heldout_nlls[-1],
            card=card[-1],
            yours=score_target(trace.logits, trace.next_ids).terms.mean,
        )
