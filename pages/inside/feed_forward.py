"""The feed-forward sub-layer: which hidden units fire for each token, and how strongly."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.feed_forward import Firing, firing
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.numbers import grouped, percent, three_digits

STACKS = ("Encoder", "Decoder")
UNITS = 40  # drawn; the numbers of all are in the download
STRONGEST = 4  # named for each token


@fragment
def show(request: Request) -> None:
    """One layer's hidden units. Choosing runs only this part again."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack = stack_choice()
        layers = maps.names(len(trace.encoder_hidden if stack == "encoder" else trace.decoder_hidden))[:-1]
        layer = int(widgets.select("Layer", layers, "layer", width=110)) - 1
    seen = request.service.lesson(
        ("firing", trace.source_ids, trace.target_ids, stack, layer), firing, trace, stack, layer
    )
    tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
    summary(seen)
    units(seen, tokens, stack)
    table(trace, seen, tokens, stack)


def stack_choice() -> str:
    """Which stack: "encoder" or "decoder"."""
    return widgets.pick("Stack", STACKS, "stack").lower()


def summary(seen: Firing) -> None:
    """Sizes, sparsity and the proof."""
    d_ff = seen.hidden.shape[1]
    one, two, three = st.columns(3)
    one.metric("Widths", f"{seen.d_model} \u2192 {d_ff} \u2192 {seen.d_model}")
    two.metric("Units that fire, on average", percent(seen.share))
    three.metric("Units that fire for no piece", f"{seen.never} of {d_ff}")
    st.caption(
        prose.block("inside", "Proof of the feed-forward layer").format(
            parameters=grouped(seen.parameters),
            hidden=checks.said("hidden units", seen.hidden_difference),
            sublayer_output=checks.said("fed forward", seen.output_difference),
            alone=checks.said("fed forward alone", seen.alone_difference),
        )
    )


def units(seen: Firing, tokens: tuple[str, ...], stack: str) -> None:
    """The units that are strongest anywhere in the sentence."""
    strongest = np.argsort(-seen.hidden.max(axis=0), kind="stable")[:UNITS]
    st.markdown(prose.block("inside", "Units").format(count=len(strongest)))
    items = [
        RowMatrix(
            "Activation",
            seen.hidden[:, strongest],
            stack,
            tokens,
            [f"{unit + 1}" for unit in strongest],
            column_title="unit",
            signed=False,
            wide=True,
        )
    ]
    matrix_row(items, inputs.theme(), "units", inputs.remember_theme)
    with st.container(horizontal=True):
        files.matrices(items, f"Strongest units of the feed-forward layer, {stack}", f"{stack}-units", "Units")


def table(trace: Trace, seen: Firing, tokens: tuple[str, ...], stack: str) -> None:
    """How many units fire for each token, and the strongest."""
    d_ff = seen.hidden.shape[1]
    lines: list[list[bars.Value]] = []
    for place, name in enumerate(maps.numbered(tokens)):
        fired = int(seen.fired[place])
        best = zip(*seen.strongest(place, STRONGEST), strict=True)
        named = ",  ".join(f"{unit + 1}: {three_digits(float(value))}" for unit, value in best)
        lines.append([name, bars.bar(fired, d_ff, stack, f"{fired} of {d_ff}"), named])
    st.html(bars.table(("piece", "units that fire", "strongest units: activation"), lines, "Units by piece"))
    files.download(
        "All units as NPZ",
        lambda: downloads.arrays_npz(hidden=seen.hidden, tokens=np.array(tokens)),
        f"{stack}-hidden.npz",
    )
