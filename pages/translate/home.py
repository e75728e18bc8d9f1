"""The layout of the home page: the translation, a live map of it, and links to the main pages."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import Trace
from views import kind_labels
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.text.catalogue import Message, say

# Target page, what the user does there, and a detail.
LINKS = (
    ("attention", Message("home.heads", "Explore every head"), Message("home.heads.of", "every layer, every weight")),
    ("vision", Message("home.picture", "Give it a picture"), Message("home.picture.of", "a Transformer that sees")),
    ("history", Message("home.learn", "Learn step by step"), Message("home.learn.of", "from recurrence to the loss")),
)


def render_layout() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Render the links; return containers for title and box, for the translation, the map, and the options."""
    with st.container(key="home"):
        header, translation = st.container(), st.empty()
        left, right = st.columns([3, 2], gap="large")
    with right:
        with st.container(key="doors", gap="small"):
            for page, label, detail in LINKS:
                st.page_link(f"pages/{page}/page.py", label=f"**{label()}** *{detail()}*", width="stretch")
        options = st.container()
    return header, translation, left.container(key="live-map"), options


def render_map(trace: Trace) -> None:
    """Render the mean of the last layer's cross-attention heads, with a row for each generated token."""
    kind, weights = kind_labels.KINDS["cross"], trace.attention("cross")[-1].mean(axis=0)  # (query, key)
    name, row = say("home.map", "Where each French token comes from"), say("home.map.row", "Generates: French token")
    matrix = RowMatrix(name, weights, "cross", trace.next_tokens, trace.axes("cross")[1], row, kind.key_axis, False)
    attention_map([matrix], "live map")
