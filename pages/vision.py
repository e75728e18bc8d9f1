"""A Vision Transformer on the reader's own picture: patches, attention of every head, what matters, positions."""

from __future__ import annotations

import streamlit as st

from model import VisionTrace
from pages.shared.vision_attention import any_patch_view, cls_view
from pages.shared.vision_layers import through_the_layers
from pages.shared.vision_opening import vision_opening
from pages.shared.vision_patches import patches_view
from pages.shared.vision_positions import positions
from views import frame, inputs, prose

# What a view is called: a function of the service, the picture's key and its trace.
VIEWS = {
    "Patches": patches_view,
    "CLS attention": cls_view,
    "Any patch": any_patch_view,
    "Through the layers": through_the_layers,
    "Positions": positions,
}


def main() -> None:
    """Read the picture, trace, show the chosen view."""
    seen = vision_opening()
    names = tuple(VIEWS)
    chosen = st.segmented_control("View", names, default=names[0], required=True, key="view", bind="query-params")
    VIEWS[inputs.choice(chosen, names, names[0])](seen.service, seen.key, seen.trace)
    how_to_read(seen.trace, seen.service.classifier.config)


def how_to_read(trace: VisionTrace, config) -> None:
    """The text below every view, with the sizes of this model."""
    st.subheader("How to read it", anchor=False)
    left, right = st.columns(2, gap="large")
    left.markdown(prose.block("vision", "How to read it"))
    right.markdown(
        prose.block("vision", "What it is").format(
            values=config.patch_values,
            width=config.d_model,
            patches=trace.grid[0] * trace.grid[1],
            columns=trace.grid[1],
            layers=config.n_layers,
            classes=len(trace.classes),
        )
    )


frame.framed()
main()
