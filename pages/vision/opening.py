"""How the Vision page begins: title, the picture, what the model receives of it, and the answer."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import VisionTrace
from pages.shared.models import open_vision, private, reading
from pages.shared.service import Service
from views import patches
from views.controls.picture_input import picture_input
from views.html import answer
from views.text import literal, prose
from views.text.catalogue import say


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
    chosen = picture_input(reading())
    service = open_vision()
    if chosen.is_own:
        service = private(service)
    key, trace = service.trace_picture(chosen.image)
    received, said = st.columns([2, 3], gap="large")
    with received:
        text, (height, width) = "What the model receives: {width} \u00d7 {height} pixels", trace.pixels.shape[:2]
        caption = say("vision.received", text, width=width, height=height)
        alt = say("vision.scaled", "{picture}, scaled", picture=chosen.title)
        st.image(patches.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with said:
        st.html(answer.STYLE + answer.bars(trace.classes, trace.probabilities))
        st.caption(only_these(trace.classes))
    return Seen(service, key, trace)


def only_these(classes: tuple[str, ...]) -> str:
    """The sentence about what the model can answer, as Markdown."""
    return prose.block("vision", "only-these", count=len(classes), classes=", ".join(map(literal.markdown, classes)))
