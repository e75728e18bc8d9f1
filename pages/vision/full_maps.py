"""Vision, full maps: what every position of the sequence attends to, in the attention viewer as for sentences."""

from __future__ import annotations

import streamlit as st

from model import VisionTrace
from pages.shared.attention_viewer.explore import explore_picture
from pages.shared.attention_viewer.subject import of_picture
from pages.shared.runs import fragment
from pages.shared.service import Service
from views.controls.picture_input import chosen_sample
from views.text import prose


@fragment
def full_maps(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. Changing a setting runs only this part again."""
    st.markdown(prose.block("vision", "Full maps").format(positions=1 + trace.grid[0] * trace.grid[1]))
    hashed = service.model.weights_sha256
    explore_picture(of_picture(key, trace, hashed, chosen_sample()))
