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
from views.text.numbers import three_digits

KINDS = {"All": ("encoder", "decoder", "cross"), "Encoder": ("encoder",), "Decoder": ("decoder",), "Cross": ("cross",)}
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
    st.subheader("The trained model", anchor=False)
    names = tuple(KINDS)
    chosen = widgets.pick("Where the division is undone", names, "undone", "All")

    def run(factor: float, kinds: tuple[str, ...]) -> TrainedRun:
        key = ("scaling", trace.source_ids, trace.target_ids, kinds, factor)
        return request.service.lesson_in_steps(key, trained_run_in_steps, trace, kinds, factor)

    scaled, raw = run(1.0, ()), run(math.sqrt(d_k), KINDS[chosen])
    left, right = st.columns(2, gap="large")
    left.html(tokens.label("Greedy translation, scores divided") + tokens.sentence(scaled.translation, "fr"))
    say_if_cut(scaled.finished, "This translation", left)
    right.html(
        tokens.label(f"The same weights, scores times {three_digits(math.sqrt(d_k))} again")
        + tokens.sentence(raw.translation or "\u2014", "fr")
    )
    say_if_cut(raw.finished, "This translation", right)
    lines = [["loss of the translation on the left, nats", scaled.loss, raw.loss]]
    for kind in KINDS["All"]:
        lines.append([f"entropy, {kind}", *(float(side.entropies[kind].mean()) for side in (scaled, raw))])
        lines.append([f"largest weight, {kind}", *(side.strongest[kind] for side in (scaled, raw))])
    header = ("mean over layers, heads and queries", "divided", "not divided")
    st.html(bars.table(header, lines, "The trained model both ways"))
    st.caption(prose.block("inside", "Proof of scaling"))
    files.download("Both runs as CSV", lambda: downloads.table_csv(header, lines), "scaling.csv")


@fragment
def random_vectors(request: Request) -> None:
    """Variance, entropy and gradient of random vectors against d_k."""
    st.subheader("Random vectors", anchor=False)
    st.markdown(prose.block("inside", "Toy"))
    with st.container(horizontal=True, gap="medium"):
        d_k = int(widgets.number("d_k", "toy_width", 100, 1, 512))
        seed = int(widgets.number("Seed", "toy_seed", 0, 0, 999_999))
    theme = inputs.theme()
    measured = request.service.analysis(("toy", seed), lambda _: toy(WIDTHS, queries=500, seed=seed))
    own = request.service.analysis(("toy", seed, d_k), lambda _: toy((d_k,), queries=2000, seed=seed))
    edges = np.linspace(-4 * math.sqrt(d_k) - 1, 4 * math.sqrt(d_k) + 1, BINS + 1)
    raw, scaled = request.service.analysis(("histogram", seed, d_k), lambda _: histogram(d_k, edges, seed=seed))
    left, right = st.columns(2, gap="large")
    with left:
        one, two = st.columns(2)
        one.metric(f"Variance of q \u00b7 k, d_k {d_k}", three_digits(own.variances[0]))
        two.metric("After the division", three_digits(own.scaled_variances[0]))
        st.plotly_chart(
            saturation.histogram(edges, raw, scaled, theme),
            key="toy_histogram",
            config={"displaylogo": False},
            alt=f"Histogram of q . k for d_k {d_k}, without and with the division.",
        )
    with right:
        panels = (
            ("variance", measured.variances, measured.scaled_variances),
            ("entropy, nats", measured.entropies, measured.scaled_entropies),
            ("gradient", measured.gradients, measured.scaled_gradients),
        )
        st.plotly_chart(
            saturation.curves(measured.widths, panels, theme),
            key="toy_curves",
            config={"displaylogo": False},
            alt="Variance, entropy and gradient against d_k, without and with the division.",
        )
    header = ["d_k", *(f"{name}, {way}" for name, _, _ in panels for way in ("not divided", "divided"))]
    columns = [column for _, first, second in panels for column in (first, second)]
    lines = [[width, *(float(column[at]) for column in columns)] for at, width in enumerate(measured.widths)]
    files.download("Curves as CSV", lambda: downloads.table_csv(header, lines), "d_k.csv")
    st.html(bars.table(header, lines, "Variance, entropy and gradient by d_k"))
