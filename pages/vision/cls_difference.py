"""Vision, what if: what CLS attends to before and after, and the difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model import VisionTrace
from pages.shared import differences
from pages.vision.changed import Changed
from views import maps, patches
from views.controls import inputs
from views.export.difference import MapPair, Side
from views.figures import overlay
from views.text.catalogue import Message, say

CLS = replace(
    maps.GRID,
    called=Message("kind.cls", "attention of CLS over the picture"),
    headed=Message("kind.cls.heading", "Attention of CLS over the picture"),
)


def show(trace: VisionTrace, found: Changed) -> MapPair:
    """CLS attention of a chosen head on both sides, with the difference."""
    layers, heads = (maps.names(count) for count in trace.attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
    place = layers.index(layer), heads.index(head)
    sides = [
        _side(name, maps.one(cls[:, :, None], *place)[0, 1:], trace.grid)
        for name, cls in (
            (say("column.before", "before"), trace.attention[:, :, 0]),
            (say("column.after", "after"), found.cls),
        )
    ]
    every = tuple(range(trace.grid[0])), tuple(range(trace.grid[1]))
    pair = MapPair(*sides, CLS, maps.describe(layer, head), (every[0], every[0]), (every[1], every[1]))
    differences.show(pair, "cls_pair", f"compare-vision-layer-{layer}-head-{head}")
    return pair


def over_picture(trace: VisionTrace, pair: MapPair) -> None:
    """The same difference over the grey picture."""
    grey = patches.grey(patches.as_bytes(trace.pixels))
    change = pair.difference.weights / (pair.largest or 1)
    st.image(
        overlay.enlarged(overlay.signed(grey, change, inputs.theme())),
        width=320,
        output_format="PNG",
        alt=say(
            "vision.difference.alt",
            "The difference over the picture, {place}; the table above has its numbers.",
            place=pair.place,
        ),
    )


def _side(name: str, weights: np.ndarray, grid: tuple[int, int]) -> Side:
    return Side(name, weights.reshape(grid), *maps.grid_names(grid), np.zeros(grid, dtype=bool))
