"""Integer, normalised and sinusoidal positions side by side, on two lengths."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.position_geometry import Schemes, schemes
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, lines
from views.html import bars
from views.text import prose
from views.text.numbers import three_digits

NAMES = {"integers": "integer", "normalised": "normalised", "sinusoids": "sinusoidal"}


def show(request: Request) -> None:
    """The three schemes for the reader's sentence and for another length."""
    width = request.service.model.config.d_model
    tokens = min(max(len(request.service.model.tokenizer.encode_source(request.text)), 2), 128)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("positions", "Why sinusoids"))
        first = widgets.slider("One length; your sentence\u2019s at first", "short", tokens, 2, 128, varies=True)
        second = widgets.slider("Another length", "long", min(2 * tokens, 128), 2, 128, varies=True)
        dimension = widgets.slider("Dimension of the sinusoids", "wave", 8, 0, width - 1)
    both = [schemes(first, width), schemes(second, width)]
    with left:
        curves = [
            Line(
                f"{length} positions",
                np.arange(length),
                scheme.table(name)[:, column],
                place,
                _DASH[place],
                panel=panel,
            )
            for place, (length, scheme) in enumerate(zip((first, second), both, strict=True))
            for panel, (name, column) in enumerate((("integers", 0), ("normalised", 0), ("sinusoids", dimension)))
        ]
        figure = lines(curves, inputs.theme(), "position", list(NAMES.values()), height=520)
        chart(figure, "schemes", "Each scheme's value by position, for both lengths; the table compares them.")
    header = ["scheme", "length", "largest value", "first step", "closest two"]
    rows = [
        [title, length, scheme.largest(name), scheme.step(name), scheme.closest(name)]
        for name, title in NAMES.items()
        for length, scheme in zip((first, second), both, strict=True)
    ]
    st.html(bars.table(header, rows, "The three schemes on both lengths"))
    st.caption(_check(both))
    files.download("Comparison as CSV", lambda: downloads.table_csv(header, rows), "schemes.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


_DASH = ("solid", "dash")


def _check(both: list[Schemes]) -> str:
    """Do positions that both sentences have get the same vector?"""
    shared = min(len(scheme.integers) for scheme in both)
    moved = {name: float(np.abs(both[0].table(name)[:shared] - both[1].table(name)[:shared]).max()) for name in NAMES}
    return prose.block("positions", "Proof of the schemes").format(
        shared=shared,
        integers=checks.said("integers", moved["integers"]),
        normalised=three_digits(moved["normalised"]),
        sinusoids=checks.said("sinusoids", moved["sinusoids"]),
    )
