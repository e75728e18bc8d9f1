"""Label smoothing and the gradient of the loss with respect to the logits, at one position of the target."""

import numpy as np
import streamlit as st

from model import Trace
from model.networks.loss_terms import logit_gradient, score_target, smallest_loss, smoothed_target
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.experiment import experiment
from pages.shared.opening import Request
from pages.shared.tables import Column
from pages.shared.target import stepper, target
from pages.shared.texts import caption, paragraph
from views.controls import widgets
from views.html import steps, tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.text.numbers import grouped

COUNT = 10  # tokens shown: those whose logits are pushed hardest


def show(request: Request) -> None:
    """Choose the smoothing and a position; see the target distribution and the push on each logit."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        trace = target(request)
        label = say("loss.smoothing", "Label smoothing \u03b5, in per cent")
        smoothing = widgets.slider(label, "smoothing", 10, 0, 90) / 100
        if trace is not None:
            position(trace, smoothing)
    recipe = request.service.model.card.get("training", {}).get("recipe", {})
    with right:
        paragraph(
            "loss",
            "label-smoothing",
            vocabulary=grouped(vocabulary),
            trained=str(recipe.get("label_smoothing", say("loss.unknown", "unknown"))),
            floor=smallest_loss(vocabulary, smoothing),
        )
        paragraph("loss", "gradient")


def position(trace: Trace, smoothing: float) -> None:
    """The sums over the target, and one position in detail."""
    found = logit_gradient(trace.logits, trace.next_ids, smoothing)
    plain = score_target(trace.logits, trace.next_ids).terms
    metrics(
        (say("loss.plain", "Plain loss"), plain.mean),
        (say("loss.smoothed", "Smoothed loss"), found.mean),
        (say("loss.smallest", "Smallest possible"), smallest_loss(trace.logits.shape[1], smoothing)),
    )
    found_here = {"smallest": smallest_loss(trace.logits.shape[1], smoothing), "loss": plain.mean}
    experiment("loss-smoothing", {"smoothing": 0}, None if smoothing else found_here)
    last = len(trace.next_ids)
    step = stepper(last, say("loss.position", "Position, 1 to {last}", last=last))
    label = say("loss.position.tokens", "What the decoder was fed, the right token at this position, and what follows")
    written = steps.written(trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:])
    st.html(tokens.label(label) + written)
    gradient, right = found.gradient[step - 1], trace.next_ids[step - 1]  # (vocabulary,)
    wanted = smoothed_target(len(gradient), right, smoothing).numpy()
    # the right token, then those whose logits are pushed hardest
    others = [id_ for id_ in np.argsort(-np.abs(gradient), kind="stable")[:COUNT].tolist() if id_ != right]
    ids = [right, *others][:COUNT]
    named, *rivals = labels = trace.tokenizer.labels(ids)
    pushes = gradient[ids]
    columns = [
        Column(terms.TOKEN(), list(map(literal.token, labels)), [steps.strong(named), *map(steps.plain, rivals)]),
        tables.bar(say("loss.column.p", "model p"), pushes + wanted[ids], 1),
        tables.meter(say("loss.column.q", "target q"), wanted[ids], 1),
        tables.meter(say("loss.column.gradient", "gradient p - q"), pushes, float(np.abs(pushes).max()), signed=True),
    ]
    tables.show(columns, say("loss.gradient.table", "Target and gradient at position {position}", position=step))
    total = checks.said("gradient sum", abs(float(gradient.sum(dtype=np.float64))))
    caption("loss", "check-gradient", difference=checks.said("loss gradient", found.difference), sum=total)
    columns.insert(1, Column(say("column.id", "id"), ids))
    files.sheet(*tables.content(columns), f"gradient-position-{step}", key="gradient_table")
