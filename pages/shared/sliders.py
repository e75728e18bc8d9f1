"""A slider that several pages share: through a translation step by step."""

from __future__ import annotations

import streamlit as st

from views.address import settings
from views.controls import widgets


def stepper(last: int, label: str = "Step") -> int:
    """Two buttons and a slider.

    Args:
        last: the number of steps; the first is 1.

    Returns:
        The chosen step. Whatever the address or an earlier, longer sentence left, it lies from 1 to `last`.
    """
    if last == 1:
        st.caption(f"{label} 1 is the only one.")
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slot = st.container(width="stretch")
        back, on = st.container(width="content"), st.container(width="content")
    with slot:
        step = widgets.slider(label, "step", 1, 1, last)
    back.button("\u2190 Back", key="step_back", disabled=step == 1, on_click=_go, args=(-1, last))
    on.button("Forward \u2192", key="step_forward", disabled=step == last, on_click=_go, args=(1, last))
    return step


def _go(by: int, last: int) -> None:
    settings.choose("step", min(max(settings.value("step") + by, 1), last))
