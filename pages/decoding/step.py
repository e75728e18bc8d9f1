"""One step of decoding: what is written, where it looks, and how the next token is chosen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model import Trace
from model.decoding.sampling_stages import SamplingStages, sampling_stages
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.sliders import stepper
from views import maps
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.numbers import grouped, percent, three_digits

SHOWN = (5, 10, 20, 50)  # how many tokens the table may have


def show(request: Request) -> None:
    """Choose a step; see attention and choice."""
    trace = request.trace()
    step = stepper(len(trace.next_ids), f"Step, 1 to {len(trace.next_ids)}")
    st.html(
        tokens.label("What the decoder has read, the piece it writes in this step, and what is still to come")
        + steps.written(trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:])
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        attention(trace, step)
    with right:
        choice(request, trace, step)


def attention(trace: Trace, step: int) -> None:
    """Cross-attention of the step over the source."""
    st.subheader("Where this step looks", anchor=False)
    layers, heads = (maps.names(count) for count in trace.cross_attention.shape[:2])
    with st.container(horizontal=True):
        layer = widgets.select("Layer", layers, "cross_layer", maps.MEAN)
        head = widgets.select("Head", heads, "cross_head", maps.MEAN)
    sheet = maps.with_means(trace.cross_attention[:, :, step - 1 : step])  # (layers + 1, heads + 1, 1, source)
    weights = sheet[layers.index(layer), heads.index(head), 0]  # (source,)
    place = maps.describe(layer, head)
    st.html(
        tokens.label(f"Cross-attention of step {step} over the English pieces: {place}")
        + steps.weights(trace.source_tokens, weights.tolist())
    )
    check = trace.verification["cross"]
    st.caption(
        prose.block("decoding", "Proof of attention").format(
            total=three_digits(float(weights.sum(dtype=np.float64))),
            difference=checks.said("attention", check.max_difference),
        )
    )
    st.markdown(prose.block("decoding", "Where this step looks"))
    axes = (trace.next_tokens[step - 1 : step], trace.source_tokens, maps.KINDS["cross"])
    files.download(
        "Attention as CSV",
        lambda: downloads.matrix_csv(weights[None], *axes),
        f"cross-attention-step-{step}.csv",
    )


def choice(request: Request, trace: Trace, step: int) -> None:
    """Logit, scaled, filtered, probability."""
    st.subheader("How the piece is chosen", anchor=False)
    temperature, top_k, top_p = settings(request)
    never = request.service.model.config.never_generated
    stages = sampling_stages(trace.logits[step - 1], temperature, top_k, top_p, never)
    count = int(widgets.pick("Pieces shown", tuple(map(str, SHOWN)), "shown", "10"))
    rows = table(trace, stages, step, min(count, len(stages.logits) - len(never)))
    taken = trace.next_ids[step - 1]
    shown = [
        [
            str(rank),
            steps.strong(token) if id_ == taken else steps.plain(token),
            logit,
            scaled,
            steps.number(three_digits(scaled)) if kept else steps.quiet("out"),
            bars.bar(probability, 1, "decoder") if kept else steps.quiet("0"),
        ]
        for rank, token, id_, logit, _, scaled, kept, probability in rows
    ]
    header = ["rank", "piece", "logit", f"\u00f7 {temperature:g}", "filtered", "probability"]
    st.html(bars.table(header, shown, f"The most probable pieces of step {step}"))
    st.caption(
        prose.block("decoding", "Proof of choice").format(
            kept=grouped(int(stages.kept.sum())),
            all=grouped(len(stages.logits)),
            mass=percent(stages.kept_mass),
            difference=checks.said("choice", stages.difference),
        )
    )
    st.markdown(prose.block("decoding", "How the piece is chosen"))
    files.download("Choice as CSV", lambda: downloads.table_csv(HEADER, labelled(rows)), f"step-{step}.csv")
    files.numbers(lambda: pd.DataFrame(labelled(rows), columns=HEADER), "choice_table", hide_index=True)


HEADER = ["rank", "piece", "id", "logit", "probability before", "scaled", "kept", "probability"]


def table(trace: Trace, stages: SamplingStages, step: int, count: int) -> list[tuple]:
    """The `count` most probable tokens; the one that was written follows if it is not among them."""
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
        st.caption("Temperature, top k and top p are those set above.")
        return options.temperature, options.top_k, options.top_p
    first, second, third = st.columns(3)
    with first:
        temperature = widgets.decimal("Temperature", "try_temperature", 1.0, 0.1, 3.0, 0.1)
    with second:
        top_k = widgets.slider("Top k, 0 keeps all", "try_k", 0, 0, 100)
    with third:
        top_p = widgets.decimal("Top p", "try_p", 1.0, 0.05, 1.0, 0.05)
    return temperature, top_k, top_p
