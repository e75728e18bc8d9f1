"""How the Vision page begins: title, the picture, what the model receives of it, and the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
from PIL import Image

from model import VisionTrace
from pages.shared.description import describe_vision
from pages.shared.vision_service import VisionService, open_vision
from views import literal, patches, prose
from views.figures import answer


@dataclass(frozen=True)
class Seen:
    """A picture with everything the model computed for it."""

    service: VisionService
    key: str
    trace: VisionTrace


def vision_opening() -> Seen | None:
    """Show the beginning of the page; None while there is no picture, and the reason is on the page."""
    st.title(prose.title("vision"), anchor=False)
    st.markdown(prose.lead("vision"))
    chosen = _picture()
    service = open_vision()
    describe_vision(service.classifier)
    if chosen is None:
        return None
    key, trace = service.trace(chosen)
    received, said = st.columns([2, 3], gap="large")
    with received:
        side = trace.pixels.shape[0]
        st.image(patches.as_bytes(trace.pixels), caption=f"What the model receives: {side} × {side} pixels", width=260)
    with said:
        st.html(answer.STYLE + answer.bars(trace.classes, trace.probabilities))
        st.caption(only_these(trace.classes))
    return Seen(service, key, trace)


def only_these(classes: tuple[str, ...]) -> str:
    """The sentence about what the model can answer, as Markdown."""
    names = ", ".join(map(literal.markdown, classes[:-1])) + " and " + literal.markdown(classes[-1])
    return prose.block("vision", "Only these").format(count=len(classes), classes=names)


def _picture() -> Image.Image | None:
    rows, columns = np.mgrid[0:192, 0:192]  # until the upload control is here
    return Image.fromarray(np.stack([rows, columns, (rows * columns) % 251], axis=-1).astype(np.uint8))
