"""One step of decoding: what is generated, what it attends to, and how the next token is chosen."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from pages.decoding import choice
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.sliders import stepper
from views import maps
from views.controls import widgets
from views.export import downloads
from views.html import steps, tokens
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def show(request: Request) -> None:
    """Choose a step; see attention and choice."""
    trace = request.trace()
    step = choose_step(trace)
    left, right = st.columns([2, 3], gap="large")
    with left:
        attention(trace, step)
    with right:
        choice.show(request, trace, step)


def choose_step(trace: Trace) -> int:
    """A slider through the steps, from 1, and the tokens around the chosen one."""
    last = len(trace.next_ids)
    step = stepper(last, say("decoding.step", "Step, 1 to {last}", last=last))
    text = "What the decoder has read, the token it generates in this step, and what is still to come"
    read, generated, later = trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    st.html(tokens.label(say("decoding.step.tokens", text)) + steps.written(read, generated, later))
    return step


def attention(trace: Trace, step: int) -> None:
    """Cross-attention of the step over the source."""
    st.subheader(say("decoding.attention", "What this step attends to"), anchor=False)
    layers, heads = (maps.names(count) for count in trace.cross_attention.shape[:2])
    with st.container(horizontal=True):
        layer = widgets.select(say("layer", "Layer"), maps.said(layers), "cross_layer", maps.MEAN)
        head = widgets.select(say("head", "Head"), maps.said(heads), "cross_head", maps.MEAN)
    sheet = maps.with_means(trace.cross_attention[:, :, step - 1 : step])  # (layers + 1, heads + 1, 1, source)
    weights = sheet[layers.index(layer), heads.index(head), 0]  # (source,)
    text = "Cross-attention of step {step} over the English tokens: {place}"
    st.html(
        tokens.label(say("decoding.attention.place", text, step=step, place=maps.describe(layer, head)))
        + steps.weights(trace.source_tokens, weights.tolist())
    )
    check = trace.verification["cross"]
    st.caption(
        prose.block(
            "decoding",
            "check-attention",
            total=three_digits(float(weights.sum(dtype=np.float64))),
            difference=checks.said("attention", check.max_difference),
        )
    )
    st.markdown(prose.block("decoding", "attention"))
    axes = (trace.next_tokens[step - 1 : step], trace.source_tokens, maps.KINDS["cross"])
    files.download(
        say("decoding.attention.csv", "Attention as CSV"),
        lambda: downloads.matrix_csv(weights[None], *axes),
        f"cross-attention-step-{step}.csv",
    )
