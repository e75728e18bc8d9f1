"""Vision, CLS attention: what the position that answers looks at, in every head of every layer."""

from __future__ import annotations

import streamlit as st

from model import VisionTrace
from pages.shared import files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.maps import all_heads, check_line, choosable, settings
from views import maps
from views.components.attention_grid import Sheet, attention_grid
from views.components.patch_picture import Panel, PatchPicture
from views.controls import inputs
from views.text import prose


@fragment
def cls_attention(service: Service, key: str, trace: VisionTrace) -> None:
    """The view: every head over the picture, and one of them large. Its settings run only this part again."""
    look = settings(trace, "head")
    rows = maps.with_means(trace.attention[:, :, :1])[:, :, 0]  # (layers + 1, heads + 1, 1 + patch): CLS as the query
    sheet = rows[..., 1:]  # (layers + 1, heads + 1, patch)
    top = float(sheet[:-1, :-1].max()) if look.shared else None
    shown = look.head_map(sheet[look.place], f"CLS as the query, {look.words}", top)
    theme = inputs.theme()
    overview, detail = st.columns(2, gap="large")
    with overview:
        st.markdown(prose.block("vision", "Overview"))
        attention_grid(
            Sheet(
                sheet.reshape(*sheet.shape[:2], *trace.grid),
                look.layers,
                look.heads,
                shown.queries,
                shown.keys,
                kind="vision",
                title="Attention of CLS over the picture",
                causal=False,
                shared_scale=look.shared,
                selected=look.place,
                theme=theme,
                underlay=look.picture,
                opacity=look.opacity,
            ),
            key="grid",
            on_select=lambda layer, head: inputs.choose_head(look.layers[layer], look.heads[head]),
            on_theme=inputs.remember_theme,
        )
        check_line(trace)
        all_heads(trace)
    with detail:
        st.markdown(f"**{shown.title}**")
        with st.container(horizontal=True):
            selected = inputs.patch(trace.grid)
        choosable(
            PatchPicture(
                look.picture,
                trace.grid,
                [Panel("", "cls")],
                shown.title,
                selected,
                theme,
                weights=rows[look.place][None],
                top=top,
                opacity=look.opacity,
                kept=look.kept,
            ),
            key="large",
        )
        layer, head = look.layers[look.place[0]], look.heads[look.place[1]]
        files.head_map(shown, lambda: look.drawn(shown), f"vision-layer-{layer}-head-{head}")
