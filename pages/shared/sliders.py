"""A slider that several pages share: through a translation step by step."""

from __future__ import annotations

import streamlit as st

from views.address import settings
from views.controls import widgets
from views.text.catalogue import say


def stepper(last: int, label: str = "") -> int:
    """Two buttons and a slider.

    Args:
        last: the number of steps; the first is 1.
        label: of the slider, as the page says it.

    Returns:
        The chosen step. Whatever the address or an earlier, longer sentence left, it lies from 1 to `last`.
    """
    label = label or say("stepper.label", "Step")
    if last == 1:
        st.caption(say("stepper.only", "{label}: there is only one.", label=label))
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slot = st.container(width="stretch")
        back, on = st.container(width="content"), st.container(width="content")
    with slot:
        step = widgets.slider(label, "step", 1, 1, last)
    back.button(say("stepper.back", "\u2190 Back"), key="step_back", disabled=step == 1, on_click=_go, args=(-1, last))
    on.button(
        say("stepper.forward", "Forward \u2192"),
        key="step_forward",
        disabled=step == last,
        on_click=_go,
        args=(1, last),
    )
    return step


def _go(by: int, last: int) -> None:
    settings.choose("step", min(max(settings.value("step") + by, 1), last))
