"""Integer, normalised and sinusoidal positions compared, on two lengths."""

import numpy as np
import streamlit as st

from model.lessons.position_geometry import number_positions
from pages.shared import checks, files
from pages.shared.charts import curves
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from views.controls import widgets
from views.figures.line_chart import ChartLine
from views.html import bars
from views.text.catalogue import Message, say, say_count

SCHEME_LABELS = {
    "integers": Message("positions.scheme.integers", "integer"),
    "normalised": Message("positions.scheme.normalised", "normalised"),
    "sinusoids": Message("positions.scheme.sinusoids", "sinusoidal"),
}
DASH = ("solid", "dash")  # of the curves of the two lengths


def render(request: Request) -> None:
    """Show the three schemes for the length of the user's sentence and for another."""
    width = request.service.model.config.d_model
    tokens = min(max(len(request.service.model.tokenizer.encode_source(request.text)), 2), 128)
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph("positions", "why-sinusoids")
        one = say("positions.short", "One length; your sentence\u2019s at first")
        another = say("positions.long", "Another length")
        first = widgets.slider(one, "short", tokens, 2, 128, varies=True)
        second = widgets.slider(another, "long", min(2 * tokens, 128), 2, 128, varies=True)
        dimension = widgets.slider(say("positions.wave", "Dimension of the sinusoids"), "wave", 8, 0, width - 1)
    schemes = [number_positions(first, width), number_positions(second, width)]
    with left:
        series = [
            ChartLine(
                say_count("positions.of-length", "{count} position", "{count} positions", length),
                np.arange(length),
                scheme.table(name)[:, column],
                place,
                DASH[place],
                panel=panel,
            )
            for place, (length, scheme) in enumerate(zip((first, second), schemes, strict=True))
            for panel, (name, column) in enumerate((("integers", 0), ("normalised", 0), ("sinusoids", dimension)))
        ]
        titles, alt = [label() for label in SCHEME_LABELS.values()], block("positions", "schemes-alt")
        curves(series, say("axis.position", "position"), titles, "schemes", alt, height=520)
    header = [
        say("positions.column.scheme", "scheme"),
        say("positions.column.length", "length"),
        say("positions.column.largest", "largest value"),
        say("positions.column.step", "first step"),
        say("positions.column.closest", "closest two"),
    ]
    rows: list[list[bars.Value]] = [
        [label(), length, scheme.largest(name), scheme.step(name), scheme.closest(name)]
        for name, label in SCHEME_LABELS.items()
        for length, scheme in zip((first, second), schemes, strict=True)
    ]
    st.html(bars.table(header, rows, say("positions.schemes.table", "The three schemes on both lengths")))
    largest = {name: schemes[1].largest(name) for name in SCHEME_LABELS}
    render_experiment("positions-why-sinusoids", {"long": 128}, largest if second == 128 else None)
    # whether positions that both lengths have get the same vector
    shared = min(first, second)
    change = {
        name: float(np.abs(schemes[0].table(name)[:shared] - schemes[1].table(name)[:shared]).max())
        for name in SCHEME_LABELS
    }
    checked = {
        "integers": checks.format_difference("integers", change["integers"]),
        "sinusoids": checks.format_difference("sinusoids", change["sinusoids"]),
    }
    fold_check("positions", "schemes-check", shared=shared, **(change | checked))
    files.csv_and_table(header, rows, "schemes", say("positions.schemes.csv", "Comparison as CSV"))
