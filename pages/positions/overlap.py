"""Do the dimensions disturb each other? The cosines of all columns over the chosen positions."""

import numpy as np
import streamlit as st

from model.lessons.column_overlap import measure_overlap
from pages.positions.encoding_settings import EncodingSettings
from pages.shared import checks, files
from pages.shared.charts import matrix_chart, metrics
from pages.shared.texts import fold_check, paragraph
from views.figures.heatmap import ChartMatrix
from views.text.catalogue import say
from views.text.numbers import three_digits


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
