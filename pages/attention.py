"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

import streamlit as st

from model import Trace
from pages.shared import files
from pages.shared.opening import opening
from pages.shared.visits import fragment, framed
from views import downloads, inputs, maps, prose
from views.components.attention_grid import Sheet, attention_grid
from views.figures import pieces
from views.figures.heatmap import HeadMap, heatmap
from views.numbers import three_digits


def main() -> None:
    """Read the inputs, trace, show."""
    asked = opening("attention")
    if not asked.accepted:
        return
    trace = asked.trace()
    st.html(pieces.label("Translation") + pieces.sentence(trace.target_text, "fr"))
    explore(trace)
    st.subheader("How to read it", anchor=False)
    for column, heading in zip(st.columns(2, gap="large"), ("Rows, columns, kinds", "What to look for"), strict=True):
        column.markdown(prose.block("attention", heading))


@fragment
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
        files.download(
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
        files.head_map(shown)


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


framed()
main()
