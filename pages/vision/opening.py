"""How the Vision page begins: title, the picture, what the model receives of it, and the answer."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import VisionTrace
from pages.shared.models import open_vision, private
from pages.shared.service import Service
from views import patches
from views.controls.picture_input import picture_input
from views.html import answer
from views.text import literal, prose


@dataclass(frozen=True)
class Seen:
    """A picture with everything the model computed for it."""

    service: Service
    key: str
    trace: VisionTrace


def vision_opening() -> Seen:
    """Show the beginning of the page and trace the picture that was chosen."""
    st.title(prose.title("vision"), anchor=False)
    st.markdown(prose.lead("vision"))
    chosen = picture_input()
    service = open_vision()
    if chosen.is_own:
        service = private(service)
    key, trace = service.trace_picture(chosen.image)
    received, said = st.columns([2, 3], gap="large")
    with received:
        caption = f"What the model receives: {trace.pixels.shape[1]} \u00d7 {trace.pixels.shape[0]} pixels"
        st.image(patches.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=f"{chosen.title}, scaled")
    with said:
        st.html(answer.STYLE + answer.bars(trace.classes, trace.probabilities))
        st.caption(only_these(trace.classes))
    return Seen(service, key, trace)


def only_these(classes: tuple[str, ...]) -> str:
    """The sentence about what the model can answer, as Markdown."""
    names = ", ".join(map(literal.markdown, classes[:-1])) + " and " + literal.markdown(classes[-1])
    return prose.block("vision", "Only these").format(count=len(classes), classes=names)
