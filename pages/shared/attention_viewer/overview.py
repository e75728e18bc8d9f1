"""All maps of one kind, and the chosen one in detail."""

from __future__ import annotations

import streamlit as st

from pages.shared import files
from pages.shared.attention_viewer.save import Saved, link, save
from pages.shared.attention_viewer.subject import Subject
from pages.shared.texts import paragraph
from views import maps
from views.components.attention_grid import Detail, Sheet, attention_grid, part
from views.controls import inputs
from views.export import downloads, drawing
from views.export.matrices import picture
from views.figures.heatmap import HeadMap
from views.text.catalogue import say


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
        log_scale=scale == "log",
        places=kind.places,
        detail=Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis),
    )
    paragraph("attention_viewer", "overview")
    choose = lambda row, column: inputs.choose_head(layers[row], heads[column])  # noqa: E731
    attention_grid(grid, key="grid", on_select=choose)
    everything = lambda: downloads.attention_npz(kind.name, attention, subject.queries, subject.keys)  # noqa: E731
    files.map_files(shown, name=f"{kind.name}-layer-{layer}-head-{head}")
    files.download(say("viewer.npz", "All heads as NPZ"), everything, f"{kind.name}.npz")
    _save(subject, grid, shown, {"look": "maps", "layer": layer, "head": head, "scale": scale}, scale)


def _save(subject: Subject, grid: Sheet, shown: HeadMap, chosen: dict[str, object], scale: maps.Scale) -> None:
    drawn = {
        "map.csv": lambda: downloads.matrix_csv(shown.weights, shown.queries, shown.keys, shown.kind),
        "map.svg": lambda: drawing.to_svg(picture(shown)),
    }
    table = say("viewer.map.csv.about", "the open map, {place}: a row a query, a column a key.", place=shown.place)
    said = {"map.csv": table, "map.svg": say("viewer.map.svg.about", "the same as a picture.")}
    save(Saved(subject, chosen, link(subject), scale, "file-of-maps", lambda: part(grid), drawn, said))
