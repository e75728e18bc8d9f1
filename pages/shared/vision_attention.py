"""Views "CLS attention" and "Any patch": the attention of every head over the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from model import VisionTrace
from pages.shared import files
from pages.shared.vision_service import VisionService
from views import downloads, inputs, maps, patches, prose
from views.components.attention_grid import Sheet, attention_grid
from views.components.patch_picture import Panel, PatchPicture, patch_picture
from views.figures import drawing
from views.figures.heatmap import HeadMap
from views.figures.over_picture import over_picture
from views.numbers import three_digits


@st.fragment
def cls_view(service: VisionService, key: str, trace: VisionTrace) -> None:
    """CLS as the query: every head over the picture, and one of them large."""
    rows, columns = trace.grid
    attention = trace.attention
    layers, heads = maps.names(attention.shape[0]), maps.names(attention.shape[1])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
        shared = inputs.shared_scale(first="own")
        opacity, kept = inputs.over_picture()
    queries = maps.with_means(attention[:, :, :1])[:, :, 0]  # (layers + 1, heads + 1, 1 + patch): CLS as the query
    sheet = queries[..., 1:].reshape(*queries.shape[:2], rows, columns)
    place = layers.index(layer), heads.index(head)
    picture, theme = patches.grey(patches.as_bytes(trace.pixels)), inputs.theme()
    names = tuple(["row"] * rows), tuple(["column"] * columns)
    top = float(sheet[:-1, :-1].max()) if shared else float(sheet[place].max())
    shown = HeadMap(sheet[place], *names, maps.VISION, f"CLS as the query, {maps.describe(layer, head)}", top)
    overview, detail = st.columns(2, gap="large")
    with overview:
        st.markdown(prose.block("vision", "Overview"))
        attention_grid(
            Sheet(
                sheet,
                layers,
                heads,
                *names,
                "vision",
                "Attention of CLS",
                False,
                shared,
                place,
                theme,
                picture,
                opacity,
            ),
            key="grid",
            on_select=lambda row, column: inputs.choose_head(layers[row], heads[column]),
            on_theme=inputs.remember_theme,
        )
        proof(trace)
        _all_heads(trace)
    with detail:
        st.markdown(f"**{shown.title}**")
        with st.container(horizontal=True):
            selected = inputs.patch(trace.grid)
        patch_picture(
            PatchPicture(
                picture,
                trace.grid,
                [Panel("", "cls")],
                shown.title,
                selected,
                theme,
                queries[place][None],
                top if shared else None,
                opacity,
                kept,
            ),
            key="large",
            on_select=inputs.choose_patch,
            on_theme=inputs.remember_theme,
        )
        files.head_map(shown, lambda: over_picture(shown, picture, opacity, kept))


@st.fragment
def any_patch_view(service: VisionService, key: str, trace: VisionTrace) -> None:
    """A patch as the query and as the key, in one head or a mean."""
    rows, columns = trace.grid
    layers, heads = maps.names(trace.attention.shape[0]), maps.names(trace.attention.shape[1])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
        shared = inputs.shared_scale(of="map", first="own")
        opacity, kept = inputs.over_picture()
    matrix = maps.one(trace.attention, layers.index(layer), heads.index(head))  # (1 + patch, 1 + patch)
    top = float(matrix[1:, 1:].max())
    title = f"Attention, {maps.describe(layer, head)}"
    picture = patches.grey(patches.as_bytes(trace.pixels))
    st.markdown(prose.block("vision", "Any patch"))
    with st.container(horizontal=True):
        row, column = inputs.patch(trace.grid)
    directions = (Panel("Where it looks", "from"), Panel("Who looks at it", "to"))
    patch_picture(
        PatchPicture(
            picture,
            trace.grid,
            directions,
            title,
            (row, column),
            inputs.theme(),
            matrix,
            top if shared else None,
            opacity,
            kept,
        ),
        key="any",
        on_select=inputs.choose_patch,
        on_theme=inputs.remember_theme,
    )
    proof(trace)
    chosen = 1 + row * columns + column
    looks, looked = matrix[chosen, 1:].reshape(rows, columns), matrix[1:, chosen].reshape(rows, columns)
    where = f"patch in row {row + 1}, column {column + 1}"
    _two_maps(looks, looked, where, maps.describe(layer, head), top if shared else None, (picture, opacity, kept))
    _all_heads(trace)


def _two_maps(looks: np.ndarray, looked: np.ndarray, where: str, head: str, top: float | None, drawn: tuple) -> None:
    """Both maps of a patch as files and as a table."""
    names = tuple(["row"] * looks.shape[0]), tuple(["column"] * looks.shape[1])
    one = HeadMap(looks, *names, maps.VISION, f"where the {where} looks, {head}", top or float(looks.max()))
    other = replace(one, weights=looked, place=f"who looks at the {where}, {head}", top=top or float(looked.max()))
    name = f"{where} {head}".replace(",", "").replace(" ", "-")

    def table() -> pd.DataFrame:
        rows, columns = np.indices(looks.shape) + 1
        parts = {"row": rows, "column": columns, "where it looks": looks, "who looks at it": looked}
        return pd.DataFrame({title: part.ravel() for title, part in parts.items()})

    with st.container(horizontal=True):
        for label, shown in (("Where it looks as PNG", one), ("Who looks at it as PNG", other)):
            files.download(
                label,
                lambda shown=shown: drawing.to_png(over_picture(shown, *drawn)),
                f"{label.split(' as')[0].lower().replace(' ', '-')}-{name}.png",
                "image/png",
            )
        files.download("CSV", lambda: table().to_csv(index=False).encode(), f"{name}.csv", "text/csv")
    files.numbers(table, hide_index=True)


def _all_heads(trace: VisionTrace) -> None:
    positions = ("CLS", *(f"{row + 1},{column + 1}" for row, column in np.ndindex(trace.grid)))
    files.download(
        "All heads as NPZ",
        lambda: downloads.attention_npz("vision", trace.attention, positions, positions),
        "vision.npz",
        "application/zip",
    )


def proof(trace: VisionTrace) -> None:
    """The check of what is drawn."""
    check = trace.verify()
    st.caption(
        prose.block("vision", "Proof").format(
            difference=three_digits(check.max_difference), rows=three_digits(check.row_sum_error)
        )
    )
    with st.expander("What this checks"):
        st.markdown(prose.block("vision", "What this checks"))
