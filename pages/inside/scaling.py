"""Why scores are divided by sqrt(d_k): random vectors, and the trained network run both ways."""

import math

import numpy as np
import streamlit as st

from model.lessons.scaling import WIDTHS, TrainedRun, histogram, measure_random_products, trained_run_in_steps
from pages.shared import files, tables
from pages.shared.charts import metrics
from pages.shared.code import render_program
from pages.shared.doubt import doubt_of_generated, render_note
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request, render_translation
from pages.shared.texts import block, caption, paragraph, warn_if_cut_off
from views.controls import sentence_input, widgets
from views.figures import saturation
from views.html import bars
from views.text.catalogue import say
from views.text.numbers import three_digits

ALL = "all"  # kinds of attention
BINS = 80
STILL = {"displaylogo": False}


def render(request: Request) -> None:
    """Show the trained model, then random vectors."""
    render_trained_model(request)
    render_random_vectors(request)


@fragment
def render_trained_model(request: Request) -> None:
    """Show the user's sentence with and without the division."""
    trace, kinds = request.trace(), request.service.kinds
    root = math.sqrt(request.service.model.config.d_k)
    st.header(say("inside.trained", "The trained model"), anchor=False)
    places = {ALL: say("undone.all", "All"), **sentence_input.kind_names(kinds)}
    chosen = widgets.pick(say("undone", "Where the division is undone"), places, "undone")

    def run(factor: float, undone: tuple[str, ...]) -> TrainedRun:
        key = ("scaling", trace.source_ids, trace.target_ids, undone, factor)
        return request.service.lesson_in_steps(key, trained_run_in_steps, trace, undone, factor)

    runs = run(1.0, ()), run(root, tuple(kinds) if chosen == ALL else (chosen,))
    labels = (
        say("inside.scaled", "Greedy translation, scores divided"),
        say("inside.raw", "The same weights, scores times {root} again", root=three_digits(root)),
    )
    doubts = [doubt_of_generated(request.service, trained_run.generated) for trained_run in runs]
    for column, trained_run, doubt, label in zip(st.columns(2, gap="large"), runs, doubts, labels, strict=True):
        with column:
            render_translation(doubt, label)
            warn_if_cut_off(trained_run.finished, "this")
    render_note(request.service, doubts)
    rows: list[list[bars.Value]] = [
        [say("inside.loss", "loss of the translation on the left, nats per token"), *(s.loss for s in runs)]
    ]
    for name, kind in kinds.items():
        entropy = say("inside.entropy", "entropy, {kind}", kind=kind.brief())
        rows.append([entropy, *(float(trained_run.entropies[name].mean()) for trained_run in runs)])
        largest = say("inside.largest", "largest weight, {kind}", kind=kind.brief())
        rows.append([largest, *(trained_run.strongest[name] for trained_run in runs)])
    header = (
        say("inside.column.mean", "mean over layers, heads and queries"),
        say("inside.divided", "divided"),
        say("inside.undivided", "not divided"),
    )
    st.html(bars.table(header, rows, say("inside.scaling.table", "The trained model both ways")))
    before, after = runs
    result = {"divided": before.loss, "undivided": after.loss}
    result |= {name: trained_run.strongest["cross"] for name, trained_run in (("before", before), ("after", after))}
    render_experiment("inside-scaling", {"undone": "cross"}, result if chosen == "cross" else None)
    caption("inside", "check-scaling")
    files.csv(header, rows, "scaling", say("inside.scaling.csv", "Both runs as CSV"))


@fragment
def render_random_vectors(request: Request) -> None:
    """Show variance, entropy and gradient of random vectors by d_k."""
    st.header(say("inside.random", "Random vectors"), anchor=False)
    paragraph("inside", "random-vectors")
    with st.container(horizontal=True, gap="medium"):
        d_k = int(widgets.number("d_k", "toy_width", 100, 1, 512))
        seed = int(widgets.number(say("decoding.seed", "Seed"), "toy_seed", 0, 0, 999_999))
    theme = sentence_input.theme()
    measured = request.service.analysis(
        ("toy", seed), lambda _: measure_random_products(WIDTHS, queries=500, seed=seed)
    )
    own = request.service.analysis(
        ("toy", seed, d_k), lambda _: measure_random_products((d_k,), queries=2000, seed=seed)
    )
    edges = np.linspace(-4 * math.sqrt(d_k) - 1, 4 * math.sqrt(d_k) + 1, BINS + 1)
    raw, scaled = request.service.analysis(("histogram", seed, d_k), lambda _: histogram(d_k, edges, seed=seed))
    left, right = st.columns(2, gap="large")
    with left:
        variance = say("inside.variance", "Variance of q \u00b7 k, d_k {d_k}", d_k=d_k)
        divided = say("inside.variance.divided", "After the division")
        metrics((variance, own.variances[0]), (divided, own.scaled_variances[0]))
        figure = saturation.histogram(edges, raw, scaled, theme)
        alt = block("inside", "histogram-alt", d_k=d_k)
        st.plotly_chart(figure, key="toy_histogram", config=STILL, alt=alt)
    with right:
        panels = (
            (say("inside.panel.variance", "variance"), measured.variances, measured.scaled_variances),
            (say("inside.panel.entropy", "entropy, nats"), measured.entropies, measured.scaled_entropies),
            (say("inside.panel.gradient", "gradient"), measured.gradients, measured.scaled_gradients),
        )
        figure = saturation.curves(measured.widths, panels, theme)
        st.plotly_chart(figure, key="toy_curves", config=STILL, alt=block("inside", "curves-alt"))
    columns = [
        tables.TableColumn("d_k", measured.widths),
        tables.TableColumn(say("inside.variance.raw", "variance, not divided"), measured.variances),
        tables.TableColumn(say("inside.variance.scaled", "variance, divided"), measured.scaled_variances),
        tables.TableColumn(say("inside.entropy.raw", "entropy, nats, not divided"), measured.entropies),
        tables.TableColumn(say("inside.entropy.scaled", "entropy, nats, divided"), measured.scaled_entropies),
        tables.TableColumn(say("inside.gradient.raw", "gradient, not divided"), measured.gradients),
        tables.TableColumn(say("inside.gradient.scaled", "gradient, divided"), measured.scaled_gradients),
    ]
    files.csv(*tables.header_and_rows(columns), "d_k", say("download.curves.csv", "Curves as CSV"))
    tables.render_table(columns, say("inside.curves.table", "Variance, entropy and gradient by d_k"))
    render_program("inside", "scaling", d_k=d_k, seed=seed)
