"""All maps of one kind, and the chosen one in detail."""

from __future__ import annotations

import streamlit as st

from pages.shared import files
from pages.shared.attention_viewer.save import link, save
from pages.shared.attention_viewer.saved import Saved
from pages.shared.attention_viewer.subject import Subject
from views import maps
from views.components.attention_grid import Sheet, attention_grid, part
from views.controls import inputs
from views.export import downloads, drawing
from views.export.picture import picture
from views.figures.heatmap import HeadMap, heatmap
from views.text import prose

_SCALES = {"shared": "shared", "own": "per head", "log": "logarithmic"}


def show(subject: Subject) -> None:
    """Overview left, detail right."""
    kind, attention = subject.kind, subject.attention
    layers, heads = subject.layers, subject.heads
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads)
        scale = inputs.scale("own" if kind.places else "shared")
    sheet = maps.with_means(attention)  # (layers + 1, heads + 1, query, key)
    selected = layers.index(layer), heads.index(head)
    weights = sheet[selected]  # (query, key)
    shown = HeadMap(
        weights,
        subject.queries,
        subject.keys,
        kind,
        maps.describe(layer, head),
        top=1.0 if scale == "log" else float((weights if scale == "own" else attention).max()),
        log=scale == "log",
    )
    theme = inputs.theme()
    grid = Sheet(
        sheet,
        layers,
        heads,
        subject.queries,
        subject.keys,
        kind.name,
        kind.title,
        kind.causal,
        scale != "own",
        selected,
        theme,
        log_scale=scale == "log",
        places=kind.places,
    )
    overview, detail = st.columns(2, gap="large")
    with overview:
        st.markdown(prose.block("microscope", "Overview"))
        attention_grid(
            grid,
            key="grid",
            on_select=lambda row, column: inputs.choose_head(layers[row], heads[column]),
            on_theme=inputs.remember_theme,
        )
        everything = (kind.name, attention, subject.queries, subject.keys)
        files.download("All heads as NPZ", lambda: downloads.attention_npz(*everything), f"{kind.name}.npz")
    with detail:
        st.markdown(f"**{shown.title}**")
        st.plotly_chart(
            heatmap(shown, theme),
            key="detail",
            config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]},
            alt=f"Heatmap: {shown.title}. The table below has the same numbers.",
        )
        files.head_map(shown)
    _save(subject, grid, shown, {"look": "maps", "layer": layer, "head": head, "colour scale": _SCALES[scale]}, scale)


def _save(subject: Subject, grid: Sheet, shown: HeadMap, chosen: dict[str, object], scale: maps.Scale) -> None:
    drawn = {
        "map.csv": lambda: downloads.matrix_csv(shown.weights, shown.queries, shown.keys, shown.kind),
        "map.svg": lambda: drawing.to_svg(picture(shown)),
    }
    said = {
        "map.csv": f"the open map, {shown.place}: a row a query, a column a key.",
        "map.svg": "the same as a picture.",
    }
    save(Saved(subject, chosen, link(subject), scale, "File of maps", lambda: part(grid), drawn, said))
