"""Why scores are divided by sqrt(d_k): random vectors, and the trained network run both ways."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from model.lessons.scaling import WIDTHS, TrainedRun, histogram, toy, trained_run_in_steps
from pages.shared import files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views.controls import inputs, widgets
from views.export import downloads
from views.figures import saturation
from views.html import bars, tokens
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits

KINDS = ("encoder", "decoder", "cross")
BINS = 80


def show(request: Request) -> None:
    """The trained model, then the toy."""
    trained(request)
    random_vectors(request)


@fragment
def trained(request: Request) -> None:
    """The reader's sentence with the division and without it."""
    trace = request.trace()
    d_k = request.service.model.config.d_k
    st.subheader(say("inside.trained", "The trained model"), anchor=False)
    places = {
        "all": say("undone.all", "All"),
        "encoder": say("kind.encoder.short", "Encoder"),
        "decoder": say("kind.decoder.short", "Decoder"),
        "cross": say("kind.cross.short", "Cross"),
    }
    chosen = widgets.pick(say("undone", "Where the division is undone"), places, "undone")

    def run(factor: float, kinds: tuple[str, ...]) -> TrainedRun:
        key = ("scaling", trace.source_ids, trace.target_ids, kinds, factor)
        return request.service.lesson_in_steps(key, trained_run_in_steps, trace, kinds, factor)

    scaled, raw = run(1.0, ()), run(math.sqrt(d_k), KINDS if chosen == "all" else (chosen,))
    left, right = st.columns(2, gap="large")
    left.html(
        tokens.label(say("inside.scaled", "Greedy translation, scores divided"))
        + tokens.sentence(scaled.translation, "fr")
    )
    this = say("inside.this-translation", "This translation")
    say_if_cut(scaled.finished, this, left)
    right.html(
        tokens.label(
            say("inside.raw", "The same weights, scores times {root} again", root=three_digits(math.sqrt(d_k)))
        )
        + tokens.sentence(raw.translation or "\u2014", "fr")
    )
    say_if_cut(raw.finished, this, right)
    named = {
        "encoder": (
            say("inside.entropy.encoder", "entropy, encoder"),
            say("inside.largest.encoder", "largest weight, encoder"),
        ),
        "decoder": (
            say("inside.entropy.decoder", "entropy, decoder"),
            say("inside.largest.decoder", "largest weight, decoder"),
        ),
        "cross": (say("inside.entropy.cross", "entropy, cross"), say("inside.largest.cross", "largest weight, cross")),
    }
    lines = [[say("inside.loss", "loss of the translation on the left, nats per token"), scaled.loss, raw.loss]]
    for kind, (entropy, largest) in named.items():
        lines.append([entropy, *(float(side.entropies[kind].mean()) for side in (scaled, raw))])
        lines.append([largest, *(side.strongest[kind] for side in (scaled, raw))])
    header = (
        say("inside.column.mean", "mean over layers, heads and queries"),
        say("inside.divided", "divided"),
        say("inside.undivided", "not divided"),
    )
    st.html(bars.table(header, lines, say("inside.scaling.table", "The trained model both ways")))
    st.caption(prose.block("inside", "check-scaling"))
    files.download(
        say("inside.scaling.csv", "Both runs as CSV"), lambda: downloads.table_csv(header, lines), "scaling.csv"
    )


@fragment
def random_vectors(request: Request) -> None:
    """Variance, entropy and gradient of random vectors against d_k."""
    st.subheader(say("inside.random", "Random vectors"), anchor=False)
    st.markdown(prose.block("inside", "random-vectors"))
    with st.container(horizontal=True, gap="medium"):
        d_k = int(widgets.number("d_k", "toy_width", 100, 1, 512))
        seed = int(widgets.number(say("decoding.seed", "Seed"), "toy_seed", 0, 0, 999_999))
    theme = inputs.theme()
    measured = request.service.analysis(("toy", seed), lambda _: toy(WIDTHS, queries=500, seed=seed))
    own = request.service.analysis(("toy", seed, d_k), lambda _: toy((d_k,), queries=2000, seed=seed))
    edges = np.linspace(-4 * math.sqrt(d_k) - 1, 4 * math.sqrt(d_k) + 1, BINS + 1)
    raw, scaled = request.service.analysis(("histogram", seed, d_k), lambda _: histogram(d_k, edges, seed=seed))
    left, right = st.columns(2, gap="large")
    with left:
        one, two = st.columns(2)
        variance = say("inside.variance", "Variance of q \u00b7 k, d_k {d_k}", d_k=d_k)
        one.metric(variance, three_digits(own.variances[0]))
        two.metric(say("inside.variance.divided", "After the division"), three_digits(own.scaled_variances[0]))
        st.plotly_chart(
            saturation.histogram(edges, raw, scaled, theme),
            key="toy_histogram",
            config={"displaylogo": False},
            alt=say("inside.histogram", "Histogram of q . k for d_k {d_k}, without and with the division.", d_k=d_k),
        )
    with right:
        panels = (
            (say("inside.panel.variance", "variance"), measured.variances, measured.scaled_variances),
            (say("inside.panel.entropy", "entropy, nats"), measured.entropies, measured.scaled_entropies),
            (say("inside.panel.gradient", "gradient"), measured.gradients, measured.scaled_gradients),
        )
        st.plotly_chart(
            saturation.curves(measured.widths, panels, theme),
            key="toy_curves",
            config={"displaylogo": False},
            alt=say("inside.curves", "Variance, entropy and gradient against d_k, without and with the division."),
        )
    header = [
        "d_k",
        say("inside.variance.raw", "variance, not divided"),
        say("inside.variance.scaled", "variance, divided"),
        say("inside.entropy.raw", "entropy, nats, not divided"),
        say("inside.entropy.scaled", "entropy, nats, divided"),
        say("inside.gradient.raw", "gradient, not divided"),
        say("inside.gradient.scaled", "gradient, divided"),
    ]
    columns = [column for _, first, second in panels for column in (first, second)]
    lines = [[width, *(float(column[at]) for column in columns)] for at, width in enumerate(measured.widths)]
    files.download(say("download.curves.csv", "Curves as CSV"), lambda: downloads.table_csv(header, lines), "d_k.csv")
    st.html(bars.table(header, lines, say("inside.curves.table", "Variance, entropy and gradient by d_k")))
