"""The page *Vision*: a Vision Transformer on the user's own picture: patches, attention, attributions, positions."""

import streamlit as st

from model import VisionTrace
from pages.shared.models import open_vision, picture_lock, private_service
from pages.shared.page_sections import PageSection, choose_section, render_notes
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.background import render_plain_pictures
from pages.vision.causes import render_causes
from pages.vision.classification import render_classification
from pages.vision.convolution import render_convolution
from pages.vision.head_ablation import render_heads
from pages.vision.layers import render_layers
from pages.vision.patch_attention import render_any_patch, render_cls, render_full_maps
from pages.vision.patches import render_patches
from pages.vision.positions import render_positions
from pages.vision.stated_answer import render_stated_answer
from pages.vision.what_if import render_what_if
from views import patch_grid
from views.controls.picture_input import picture_input
from views.controls.pictures import Picture
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.class_names import class_names

VIEWS = (
    PageSection("patches", Message("vision.view.patches", "Patches"), render_patches, ("read-a-patch", "what-it-is")),
    PageSection("cls", Message("vision.view.cls", "CLS attention"), render_cls, ("read-a-map", "what-it-is")),
    PageSection("any-patch", Message("vision.view.any", "Any patch"), render_any_patch, ("read-a-map", "what-it-is")),
    PageSection("layers", Message("vision.view.layers", "Through the layers"), render_layers),  # has its own texts
    PageSection("positions", Message("vision.view.positions", "Positions"), render_positions),
    PageSection("convolution", Message("vision.view.convolution", "Convolution"), render_convolution),
    PageSection("heads", Message("vision.view.heads", "Heads"), render_heads),
    PageSection("causes", Message("vision.view.causes", "Causes"), render_causes),
    PageSection("full-maps", Message("vision.view.maps", "Full maps"), render_full_maps),
    PageSection("what-if", Message("vision.view.what-if", "What if"), render_what_if, ("what-if",)),
)


def main() -> None:
    """Read and trace the picture, show the chosen view, and below it the model's input and answer."""
    with st.container(key="vision-top"):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.title(prose.title("vision"), anchor=False, width="content")
            paragraph("vision")
        picture = picture_input(picture_lock())
        service = open_vision()
        if picture.is_own:
            service = private_service(service)
        key, trace = service.trace_picture(picture)
        view = choose_section(VIEWS, "view")
        render_stated_answer(service, key, trace)
    view.render(service, key, trace)
    _render_answer(service, key, picture, trace)
    config, (rows, columns) = service.model.config, trace.grid
    render_notes(
        "vision",
        view,
        values=config.patch_values,
        width=config.d_model,
        patches=rows * columns,
        columns=columns,
        layers=config.n_layers,
        classes=len(config.classes),
    )


def _render_answer(service: Service, key: str, picture: Picture, trace: VisionTrace) -> None:
    """Show the picture as the model receives it, and the answer."""
    st.header(say("vision.answer.header", "The answer"), anchor=False)
    received, answer = st.columns([1, 3], gap="large")
    with received:
        height, width = trace.pixels.shape[:2]
        size = {"width": width, "height": height}
        caption = say("vision.received", "What the model receives: {width} \u00d7 {height} pixels", **size)
        alt = say("vision.scaled", "{picture}, scaled", picture=picture.title())
        st.image(patch_grid.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with answer:
        classes = ", ".join(map(literal.markdown, class_names(trace.classes)))
        st.caption(block("vision", "only-these", count=len(trace.classes), classes=classes))
        render_plain_pictures(service)
    render_classification(service, key, trace)


main()
