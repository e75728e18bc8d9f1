"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from model import DecodingOptions, Trace
from pages.shared.service import accepted, open_service
from views import downloads, frame, inputs, maps, prose
from views.components.attention_grid import Sheet, attention_grid
from views.figures import drawing, pieces
from views.figures.heatmap import HeadMap, heatmap
from views.figures.picture import picture
from views.numbers import three_digits


def main() -> None:
    """Read the inputs, trace, show."""
    st.html(pieces.STYLE)
    st.title(prose.title("attention"), anchor=False)
    st.markdown(prose.lead("attention"))
    box, method = st.columns([5, 3], gap="medium")
    with box:
        text = inputs.sentence()
    with method:
        chosen = inputs.decoding()
    service = open_service()
    if not accepted(service, text):
        return
    trace = service.trace(text, DecodingOptions(**vars(chosen)))
    st.html(pieces.label("Translation") + pieces.sentence(trace.target_text, "fr"))
    explore(trace)
    st.subheader("How to read it", anchor=False)
    for column, heading in zip(st.columns(2, gap="large"), ("Rows, columns, kinds", "What to look for"), strict=True):
        column.markdown(prose.block("attention", heading))


@st.fragment
def explore(trace: Trace) -> None:
    """Overview and detail. Choosing a head runs only this part again."""
    controls = st.container(horizontal=True, gap="medium")
    with controls:
        kind = inputs.kind()
    attention = trace.attention(kind.name)  # (layers, heads, query, key)
    queries, keys = trace.axes(kind.name)
    sheet = maps.with_means(attention)  # (layers + 1, heads + 1, query, key)
    layers, heads = maps.names(attention.shape[0]), maps.names(attention.shape[1])
    with controls:
        layer, head = inputs.head(layers, heads)
        shared = inputs.shared_scale()
    overview, detail = st.columns(2, gap="large")
    selected = layers.index(layer), heads.index(head)
    weights = sheet[selected]  # (query, key)
    shown = HeadMap(
        weights,
        queries,
        keys,
        kind,
        maps.describe(layer, head),
        top=float((attention if shared else weights).max()),
    )
    theme = inputs.theme()
    with overview:
        st.markdown(prose.block("attention", "Overview"))
        attention_grid(
            Sheet(sheet, layers, heads, queries, keys, kind.name, kind.title, kind.causal, shared, selected, theme),
            key="grid",
            on_select=lambda row, column: inputs.choose_head(layers[row], heads[column]),
            on_theme=inputs.remember_theme,
        )
        proof(trace, kind)
        everything = (kind.name, attention, queries, keys)
        download(
            "All heads as NPZ", lambda: downloads.attention_npz(*everything), f"{kind.name}.npz", "application/zip"
        )
    with detail:
        st.markdown(f"**{shown.title}**")
        st.plotly_chart(
            heatmap(shown, theme),
            key="detail",
            config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]},
            alt=f"Heatmap: {shown.title}. The table below has the same numbers.",
        )
        files(shown)
        table(shown)


def proof(trace: Trace, kind: maps.Kind) -> None:
    """The check of what is drawn."""
    check = trace.verification[kind.name]
    st.caption(
        prose.block("attention", "Proof").format(
            difference=three_digits(check.max_difference),
            rows=three_digits(check.row_sum_error),
            leak=three_digits(check.mask_leak) if kind.causal else "0, nothing is masked",
        )
    )
    with st.expander("What this checks"):
        st.markdown(prose.block("attention", "What this checks"))


def files(shown: HeadMap) -> None:
    """Picture and numbers of the selected map as files."""
    name = f"{shown.kind.name} {shown.place}".replace(",", "").replace(" ", "-")
    with st.container(horizontal=True):
        download("PNG", lambda: drawing.to_png(picture(shown)), f"{name}.png", "image/png")
        download("SVG", lambda: drawing.to_svg(picture(shown)), f"{name}.svg", "image/svg+xml")
        download(
            "CSV", lambda: downloads.matrix_csv(shown.weights, shown.queries, shown.keys), f"{name}.csv", "text/csv"
        )


def download(label: str, make: Callable[[], bytes | str], file_name: str, mime: str) -> None:
    """A file that is made when it is asked for, so that choosing a head stays quick."""
    st.download_button(label, make, file_name, mime, on_click="ignore", key=f"download {label}")


def table(shown: HeadMap) -> None:
    """The selected map as numbers."""
    numbers = st.expander("Numbers as a table", on_change="rerun", key="table")
    if numbers.open:
        frame_ = pd.DataFrame(shown.weights, index=maps.numbered(shown.queries), columns=maps.numbered(shown.keys))
        numbers.dataframe(frame_)


frame.framed()
main()
