"""Positions compared with each other, and moved: products that know only the distance, shifts that are rotations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.position_geometry import shift_of, similarity
from pages.positions.settings import settings
from pages.shared import checks, files
from pages.shared.charts import chart, matrix_chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.figures.matrix import ChartMatrix
from views.text import prose
from views.text.numbers import three_digits

SHOWN = 16  # dimensions of the rotation that are drawn


def similar(request: Request) -> None:
    """PE(p) . PE(q) for all pairs, and by distance."""
    chosen = settings(request)
    found = similarity(chosen.length, chosen.d_model, chosen.form)
    left, right = st.columns(2, gap="large")
    with left:
        high = float(found.products.max())
        low = -high if found.products.min() < 0 else 0.0
        shown = ChartMatrix(found.products, "position p", "position q", "PE(p) \u00b7 PE(q)", low=low, high=high)
        matrix_chart(shown, "products", "Inner product of every two positions.")
    with right:
        distances = np.arange(chosen.length)
        curves = [
            Line("mean", distances, found.by_distance, 0),
            Line("smallest", distances, found.smallest, 4, "dot"),
            Line("largest", distances, found.largest, 5, "dot"),
        ]
        figure = lines(curves, inputs.theme(), "distance k", "PE(p) \u00b7 PE(p + k)")
        chart(figure, "distance", "Inner product by distance: mean, smallest and largest over all positions.")
        st.markdown(prose.block("positions", "Similarity"))
    paper, spread = chosen.form == "paper", float(found.spread.max())
    key = "Proof of the similarity" if paper else "Similarity of the variant"
    said = checks.said("similarity of positions", spread) if paper else three_digits(spread)
    st.caption(prose.block("positions", key).format(spread=said))
    header = ["distance", "mean", "smallest", "largest"]
    rows = list(zip(distances.tolist(), found.by_distance, found.smallest, found.largest, strict=True))
    with st.container(horizontal=True):
        files.download("By distance as CSV", lambda: downloads.table_csv(header, rows), "distance.csv")
        files.download(
            "All products as NPZ", lambda: downloads.arrays_npz({"products": found.products}), "similarity.npz"
        )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def rotated(request: Request) -> None:
    """The matrix that moves all positions on, and what it leaves over."""
    chosen = settings(request)
    left, right = st.columns(2, gap="large")
    with right:
        shift = widgets.slider("Shift k", "shift", 5, 0, 128)
    found = shift_of(chosen.length, chosen.d_model, shift, chosen.form)
    drawn = min(SHOWN, chosen.d_model)
    with left:
        block = found.matrix[:drawn, :drawn]
        shown = ChartMatrix(block, "row", "column", "entry", low=-1, high=1)
        matrix_chart(shown, "rotation", f"The first {drawn} rows and columns of the matrix.")
        if drawn < chosen.d_model:
            st.caption(f"The first {drawn} of {chosen.d_model} rows and columns; the rest goes on in the same way.")
    with right:
        st.markdown(prose.block("positions", "Rotation"))
        pair = widgets.slider("Pair i", "pair", 0, 0, chosen.d_model // 2 - 1) if chosen.d_model > 2 else 0
        cells = [[three_digits(float(found.matrix[2 * pair + r, 2 * pair + c])) for c in (0, 1)] for r in (0, 1)]
        st.latex(
            rf"R_{{{shift}}}^{{({pair})}}=\begin{{pmatrix}}{cells[0][0]}&{cells[0][1]}\\{cells[1][0]}&{cells[1][1]}"
            r"\end{pmatrix}"
        )
    paper = chosen.form == "paper"
    key = "Proof of the rotation" if paper else "Rotation of the variant"
    st.caption(
        prose.block("positions", key).format(
            length=chosen.length,
            shift=shift,
            residual=checks.said("rotation", found.residual) if paper else three_digits(found.residual),
            fitted=checks.said("fitted rotation", found.fitted_difference) if paper else "",
        )
    )
    header = ["row", *map(str, range(drawn))]
    with st.container(horizontal=True):
        files.download("Matrix as NPZ", lambda: downloads.arrays_npz({"rotation": found.matrix}), "rotation.npz")
        files.download(
            "Shown part as CSV",
            lambda: downloads.table_csv(header, [[n, *row] for n, row in enumerate(block.tolist())]),
            "rotation.csv",
        )
    files.numbers(lambda: files.table(block, header[1:], list(range(len(block))), "row"))
