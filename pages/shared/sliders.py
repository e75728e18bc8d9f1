"""A slider that several pages share: through a translation step by step."""

from __future__ import annotations

import streamlit as st

from views import controls


def stepper(last: int, label: str = "Step") -> int:
    """Two buttons and a slider.

    Args:
        last: the number of steps; the first is 1.

    Returns:
        The chosen step. Whatever the address or an earlier, longer sentence left, it lies from 1 to `last`.
    """
    controls.forget_unless("step", lambda kept: isinstance(kept, int))
    kept = st.session_state.get("step")
    if isinstance(kept, int) and not 1 <= kept <= last:
        st.session_state["step"] = min(max(kept, 1), last)
    if last == 1:
        st.caption(f"{label} 1 is the only one.")
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slot = st.container(width="stretch")
        back, on = st.container(width="content"), st.container(width="content")
    with slot:
        step = st.slider(label, 1, last, key="step", bind="query-params")
    step = step if isinstance(step, int) and 1 <= step <= last else 1
    back.button("\u2190 Back", key="step_back", disabled=step == 1, on_click=_go, args=(step - 1,))
    on.button("Forward \u2192", key="step_forward", disabled=step == last, on_click=_go, args=(step + 1,))
    return step


def _go(step: int) -> None:
    st.session_state["step"] = step
