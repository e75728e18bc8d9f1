"""One head on both sides with its difference, and how far every head has moved."""

from __future__ import annotations

import streamlit as st

from model.tracing.kinds import KINDS
from pages.shared import differences, moved_heads
from pages.shared.kinds import by_name
from pages.shared.sides import Sides
from views import maps
from views.address import settings
from views.controls import inputs
from views.text.catalogue import say


def one_head(sides: Sides) -> None:
    """Choose kind, layer and head; both maps and the difference. At first what the last layer hands on is open."""
    farthest = moved_heads.farthest(sides.moved)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind = inputs.kind(by_name(KINDS[name] for name in sides.moved), "cross")
        layers, heads = (maps.names(count) for count in sides.first.attention(kind.name).shape[:2])
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
        st.button(say("compare.open", "Open the head that moved most"), on_click=_open, args=farthest)
    pair = sides.pair(kind, layers.index(layer), heads.index(head), maps.describe(layer, head))
    differences.show(pair, "pair", f"compare-{kind.name}-layer-{layer}-head-{head}")


def _open(kind: str, layer: int, head: int) -> None:
    settings.choose("kind", kind)
    inputs.choose_head(str(layer + 1), str(head + 1))


def every_head(sides: Sides) -> None:
    """How far attention moved, a cell a head."""
    moved_heads.show(sides.moved, {kind: len(sides.shared(kind)[1]) for kind in sides.moved})
