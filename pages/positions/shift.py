"""Products of positions, which depend only on their distance, and shifts, which are rotations."""

import numpy as np
import streamlit as st

from model.lessons.column_overlap import measure_overlap
from model.lessons.position_geometry import find_shift_matrix, measure_similarity
from pages.positions.encoding_settings import EncodingSettings, choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves, matrix_chart, metrics
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check, paragraph
from views.controls import widgets
from views.figures.heatmap import ChartMatrix
from views.figures.line_chart import ChartLine
from views.text import terms
from views.text.catalogue import Untranslated, say
from views.text.numbers import three_digits

MOST_DIMENSIONS = 16  # dimensions of the rotation that are drawn


def render_similarity(request: Request) -> None:
    """Show PE(p) . PE(q) for all pairs, and by distance."""
    encoding = choose_settings(request)
    similarities = measure_similarity(encoding.length, encoding.d_model, encoding.form)
    left, right = st.columns(2, gap="large")
    with left:
        axes, high = (
            (say("positions.p", "position p"), say("positions.q", "position q")),
            float(similarities.products.max()),
        )
        low = -high if similarities.products.min() < 0 else 0.0
        chart = ChartMatrix(similarities.products, *axes, Untranslated("PE(p) \u00b7 PE(q)")(), low=low, high=high)
        matrix_chart(chart, "products", say("positions.products.alt", "Inner product of every two positions."))
    with right:
        distances = np.arange(encoding.length)
        names = (
            say("positions.mean", "mean"),
            say("positions.smallest", "smallest"),
            say("positions.largest", "largest"),
        )
        series = [
            ChartLine(names[0], distances, similarities.by_distance, 0),
            ChartLine(names[1], distances, similarities.smallest, 4, "dot"),
            ChartLine(names[2], distances, similarities.largest, 5, "dot"),
        ]
        x, y = say("positions.distance", "distance k"), Untranslated("PE(p) \u00b7 PE(p + k)")()
        curves(series, x, y, "distance", block("positions", "distance-alt"))
        paragraph("positions", "similarity")
    spread = float(similarities.spread.max())
    if encoding.form == "paper":
        fold_check("positions", "similarity-check", spread=checks.format_difference("similarity of positions", spread))
    else:
        exceeded = similarities.exceeded
        caption("positions", "similarity-variant", spread=spread, exceeded=exceeded, length=encoding.length)
    result = {"spread": spread, "mean": float(np.abs(similarities.by_distance).mean())}
    render_experiment("positions-similarity", {"form": "column"}, None if encoding.form == "paper" else result)
    header = [say("positions.distance.column", "distance"), *names]
    rows = list(
        zip(distances.tolist(), similarities.by_distance, similarities.smallest, similarities.largest, strict=True)
    )
    with st.container(horizontal=True):
        files.csv(header, rows, "distance", say("positions.distance.csv", "By distance as CSV"))
        files.npz(
            "similarity", {"products": similarities.products}, say("positions.products.npz", "All products as NPZ")
        )
    files.folded_table(lambda: files.data_frame(rows, header), hide_index=True)
    render(encoding)


def render_rotation(request: Request) -> None:
    """Show the matrix that shifts all positions, and its residual."""
    encoding = choose_settings(request)
    left, right = st.columns(2, gap="large")
    with right:
        shift = widgets.slider(say("positions.shift", "Shift k"), "shift", 5, 0, 128)
    rotation = find_shift_matrix(encoding.length, encoding.d_model, shift, encoding.form)
    count = min(MOST_DIMENSIONS, encoding.d_model)
    part = rotation.matrix[:count, :count]
    with left:
        entry = say("positions.rotation.entry", "entry")
        top = max(1.0, float(np.abs(part).max()))  # the variant's fitted entries may exceed 1
        chart = ChartMatrix(part, terms.ROW(), terms.COLUMN(), entry, low=-top, high=top)
        alt = say("positions.rotation.alt", "The first {count} rows and columns of the matrix.", count=count)
        matrix_chart(chart, "rotation", alt)
        if count < encoding.d_model:
            caption("positions", "rotation-part", count=count, all=encoding.d_model)
    with right:
        paragraph("positions", "rotation")
        label = say("positions.pair", "Pair i")
        pair = widgets.slider(label, "pair", 0, 0, encoding.d_model // 2 - 1) if encoding.d_model > 2 else 0
        cells = [[three_digits(float(rotation.matrix[2 * pair + r, 2 * pair + c])) for c in (0, 1)] for r in (0, 1)]
        st.latex(
            rf"R_{{{shift}}}^{{({pair})}}=\begin{{pmatrix}}{cells[0][0]}&{cells[0][1]}\\{cells[1][0]}&{cells[1][1]}"
            r"\end{pmatrix}"
        )
    difference = float(np.abs(rotation.matrix - np.eye(len(rotation.matrix))).max())
    render_experiment("positions-rotation", {"shift": 0}, None if shift else {"difference": difference})
    values: dict[str, object] = {"length": encoding.length, "shift": shift}
    if encoding.form == "paper":
        values |= {"residual": checks.format_difference("rotation", rotation.residual)}
        fold_check(
            "positions",
            "rotation-check",
            fitted=checks.format_difference("fitted rotation", rotation.fitted_difference),
            **values,
        )
    else:
        caption("positions", "rotation-variant", residual=rotation.residual, **values)
    header = [terms.ROW(), *map(str, range(count))]
    with st.container(horizontal=True):
        files.npz("rotation", {"rotation": rotation.matrix}, say("positions.rotation.npz", "Matrix as NPZ"))
        rows = [[place, *row] for place, row in enumerate(part.tolist())]
        files.csv(header, rows, "rotation", say("positions.rotation.csv", "Shown part as CSV"))
    files.folded_table(lambda: files.data_frame(part, header[1:], list(range(count)), header[0]))


# Do the dimensions disturb each other? The cosines of all columns over the chosen positions.


def render(encoding: EncodingSettings) -> None:
    """Show the overlap of the columns, and its mean for fast, slow and random ones."""
    overlap = measure_overlap(encoding.length, encoding.d_model, encoding.form)
    st.header(say("positions.overlap", "Do the dimensions disturb each other?"), anchor=False)
    left, right = st.columns(2, gap="large")
    dimension, other = say("axis.dimension", "dimension"), say("positions.overlap.other", "another dimension")
    with left:
        cosine = say("column.cosine", "cosine")
        chart = ChartMatrix(overlap.cosines, dimension, other, cosine, low=-1, high=1)
        alt = say("positions.overlap.alt", "Cosine of every two columns over the chosen positions.")
        matrix_chart(chart, "overlap", alt)
    turning = int(overlap.turning.sum())
    with right:
        label = say("positions.overlap.mean", "Mean |cosine| of two dimensions")
        metrics((label, overlap.mean), (say("positions.overlap.random", "Of random columns"), overlap.random))
        metrics(
            (say("positions.overlap.fast", "With a whole period"), _formatted(overlap.mean_of_turning)),
            (say("positions.overlap.slow", "With less"), _formatted(overlap.mean_of_slow)),
        )
        values = {"length": encoding.length, "turning": turning, "all": encoding.d_model}
        paragraph("positions", "overlap", **values)
    fold_check(
        "positions", "overlap-check", difference=checks.format_difference("overlap of columns", overlap.difference)
    )
    header = [dimension, *map(str, range(encoding.d_model))]
    with st.container(horizontal=True):
        rows = lambda: [[place, *row] for place, row in enumerate(overlap.cosines.tolist())]  # noqa: E731
        files.csv(header, rows, "overlap", say("positions.overlap.csv", "Cosines as CSV"))
        arrays = {"cosines": overlap.cosines, "turning": np.asarray(overlap.turning)}
        files.npz("overlap", arrays, say("positions.overlap.npz", "Cosines as NPZ"))


def _formatted(mean: float | None) -> str:
    """Format a mean; a dash where there are no two such columns."""
    return "\u2013" if mean is None else three_digits(mean)
