"""Positions compared with each other, and moved: products that know only the distance, shifts that are rotations."""

import numpy as np
import streamlit as st

from model.lessons.position_geometry import find_shift_matrix, measure_similarity
from pages.positions.encoding_settings import choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves, matrix_chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views.controls import widgets
from views.figures.heatmap import ChartMatrix
from views.figures.line_chart import ChartLine
from views.text import terms
from views.text.catalogue import Untranslated, say
from views.text.numbers import three_digits

MOST_DIMENSIONS = 16  # dimensions of the rotation that are drawn


def render_similarity(request: Request) -> None:
    """PE(p) . PE(q) for all pairs, and by distance."""
    chosen = choose_settings(request)
    found = measure_similarity(chosen.length, chosen.d_model, chosen.form)
    left, right = st.columns(2, gap="large")
    with left:
        axes, high = (say("positions.p", "position p"), say("positions.q", "position q")), float(found.products.max())
        low = -high if found.products.min() < 0 else 0.0
        shown = ChartMatrix(found.products, *axes, Untranslated("PE(p) \u00b7 PE(q)")(), low=low, high=high)
        matrix_chart(shown, "products", say("positions.products.alt", "Inner product of every two positions."))
    with right:
        distances = np.arange(chosen.length)
        names = (
            say("positions.mean", "mean"),
            say("positions.smallest", "smallest"),
            say("positions.largest", "largest"),
        )
        drawn = [
            ChartLine(names[0], distances, found.by_distance, 0),
            ChartLine(names[1], distances, found.smallest, 4, "dot"),
            ChartLine(names[2], distances, found.largest, 5, "dot"),
        ]
        x, y = say("positions.distance", "distance k"), Untranslated("PE(p) \u00b7 PE(p + k)")()
        curves(drawn, x, y, "distance", block("positions", "distance-alt"))
        paragraph("positions", "similarity")
    spread = float(found.spread.max())
    if chosen.form == "paper":
        caption("positions", "similarity-check", spread=checks.format_difference("similarity of positions", spread))
    else:
        caption("positions", "similarity-variant", spread=spread)
    found_here = {"spread": spread, "mean": float(np.abs(found.by_distance).mean())}
    render_experiment("positions-similarity", {"form": "column"}, None if chosen.form == "paper" else found_here)
    header = [say("positions.distance.column", "distance"), *names]
    rows = list(zip(distances.tolist(), found.by_distance, found.smallest, found.largest, strict=True))
    with st.container(horizontal=True):
        files.csv(header, rows, "distance", say("positions.distance.csv", "By distance as CSV"))
        files.npz("similarity", {"products": found.products}, say("positions.products.npz", "All products as NPZ"))
    files.folded_table(lambda: files.data_frame(rows, header), hide_index=True)


def render_rotation(request: Request) -> None:
    """The matrix that moves all positions on, and what it leaves over."""
    chosen = choose_settings(request)
    left, right = st.columns(2, gap="large")
    with right:
        shift = widgets.slider(say("positions.shift", "Shift k"), "shift", 5, 0, 128)
    found = find_shift_matrix(chosen.length, chosen.d_model, shift, chosen.form)
    drawn = min(MOST_DIMENSIONS, chosen.d_model)
    part = found.matrix[:drawn, :drawn]
    with left:
        entry = say("positions.rotation.entry", "entry")
        shown = ChartMatrix(part, terms.ROW(), terms.COLUMN(), entry, low=-1, high=1)
        alt = say("positions.rotation.alt", "The first {count} rows and columns of the matrix.", count=drawn)
        matrix_chart(shown, "rotation", alt)
        if drawn < chosen.d_model:
            caption("positions", "rotation-part", count=drawn, all=chosen.d_model)
    with right:
        paragraph("positions", "rotation")
        label = say("positions.pair", "Pair i")
        pair = widgets.slider(label, "pair", 0, 0, chosen.d_model // 2 - 1) if chosen.d_model > 2 else 0
        cells = [[three_digits(float(found.matrix[2 * pair + r, 2 * pair + c])) for c in (0, 1)] for r in (0, 1)]
        st.latex(
            rf"R_{{{shift}}}^{{({pair})}}=\begin{{pmatrix}}{cells[0][0]}&{cells[0][1]}\\{cells[1][0]}&{cells[1][1]}"
            r"\end{pmatrix}"
        )
    difference = float(np.abs(found.matrix - np.eye(len(found.matrix))).max())
    render_experiment("positions-rotation", {"shift": 0}, None if shift else {"difference": difference})
    values = {"length": chosen.length, "shift": shift}
    if chosen.form == "paper":
        values |= {"residual": checks.format_difference("rotation", found.residual)}
        caption(
            "positions",
            "rotation-check",
            fitted=checks.format_difference("fitted rotation", found.fitted_difference),
            **values,
        )
    else:
        caption("positions", "rotation-variant", residual=found.residual, **values)
    header = [terms.ROW(), *map(str, range(drawn))]
    with st.container(horizontal=True):
        files.npz("rotation", {"rotation": found.matrix}, say("positions.rotation.npz", "Matrix as NPZ"))
        rows = [[place, *row] for place, row in enumerate(part.tolist())]
        files.csv(header, rows, "rotation", say("positions.rotation.csv", "Shown part as CSV"))
    files.folded_table(lambda: files.data_frame(part, header[1:], list(range(drawn)), header[0]))
