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
from views.text.catalogue import say
from views.text.numbers import grouped, percent, three_digits

UNITS = 40  # drawn; the numbers of all are in the download
STRONGEST = 4  # named for each token


@fragment
def show(request: Request) -> None:
    """One layer's hidden units. Choosing runs only this part again."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack = stack_choice()
        layers = maps.names(len(trace.encoder_hidden if stack == "encoder" else trace.decoder_hidden))[:-1]
        layer = int(widgets.select(say("layer", "Layer"), layers, "layer", width=110)) - 1
    seen = request.service.lesson(
        ("firing", trace.source_ids, trace.target_ids, stack, layer), firing, trace, stack, layer
    )
    tokens = trace.source_tokens if stack == "encoder" else trace.target_tokens
    summary(seen)
    units(seen, tokens, stack)
    table(trace, seen, tokens, stack)


def stack_choice() -> str:
    """Which stack: "encoder" or "decoder"."""
    stacks = {"encoder": say("stack.encoder", "Encoder"), "decoder": say("stack.decoder", "Decoder")}
    return widgets.pick(say("stack", "Stack"), stacks, "stack")


def summary(seen: Firing) -> None:
    """Sizes, sparsity and the check."""
    d_ff = seen.hidden.shape[1]
    one, two, three = st.columns(3)
    one.metric(say("inside.widths", "Widths"), f"{seen.d_model} \u2192 {d_ff} \u2192 {seen.d_model}")
    two.metric(say("inside.units.mean", "Units that fire, on average"), percent(seen.share))
    never = say("inside.units.share", "{count} of {all}", count=seen.never, all=d_ff)
    three.metric(say("inside.units.never", "Units that fire for no token"), never)
    st.caption(
        prose.block(
            "inside",
            "check-feed-forward",
            parameters=grouped(seen.parameters),
            hidden=checks.said("hidden units", seen.hidden_difference),
            sublayer_output=checks.said("fed forward", seen.output_difference),
            alone=checks.said("fed forward alone", seen.alone_difference),
        )
    )


def units(seen: Firing, tokens: tuple[str, ...], stack: str) -> None:
    """The units that are strongest anywhere in the sentence."""
    strongest = np.argsort(-seen.hidden.max(axis=0), kind="stable")[:UNITS]
    st.markdown(prose.block("inside", "units", count=len(strongest)))
    items = [
        RowMatrix(
            say("inside.activation", "Activation"),
            seen.hidden[:, strongest],
            stack,
            tokens,
            [f"{unit + 1}" for unit in strongest],
            say("column.token", "token"),
            say("column.unit", "unit"),
            signed=False,
            wide=True,
        )
    ]
    matrix_row(items, inputs.theme(), "units", inputs.remember_theme)
    with st.container(horizontal=True):
        titles = {
            "encoder": say("inside.units.encoder", "Strongest units of the feed-forward layer, encoder"),
            "decoder": say("inside.units.decoder", "Strongest units of the feed-forward layer, decoder"),
        }
        files.matrices(items, titles[stack], f"{stack}-units", say("inside.units", "Units"))


def table(trace: Trace, seen: Firing, tokens: tuple[str, ...], stack: str) -> None:
    """How many units fire for each token, and the strongest."""
    d_ff = seen.hidden.shape[1]
    lines: list[list[bars.Value]] = []
    for place, name in enumerate(maps.numbered(tokens)):
        fired = int(seen.fired[place])
        best = zip(*seen.strongest(place, STRONGEST), strict=True)
        named = ",  ".join(f"{unit + 1}: {three_digits(float(value))}" for unit, value in best)
        share = say("inside.units.share", "{count} of {all}", count=fired, all=d_ff)
        lines.append([bars.data(name, "token"), bars.bar(fired, d_ff, stack, share), bars.data(named, "number")])
    header = (
        say("column.token", "token"),
        say("inside.column.fired", "units that fire"),
        say("inside.column.strongest", "strongest units: activation"),
    )
    st.html(bars.table(header, lines, say("inside.units.table", "Units by token")))
    files.download(
        say("inside.units.npz", "All units as NPZ"),
        lambda: downloads.arrays_npz(hidden=seen.hidden, tokens=np.array(tokens)),
        f"{stack}-hidden.npz",
    )
