"""A Vision Transformer on the reader's own picture: patches, attention of every head, what matters, positions."""

import streamlit as st

from model import VisionTrace
from pages.shared.models import open_vision, private, reading
from pages.shared.page_sections import Part, choose, texts_below
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.background import without_an_object
from pages.vision.classification import from_cls
from pages.vision.convolution import beside_a_convolution
from pages.vision.head_ablation import each_head
from pages.vision.layers import through_the_layers
from pages.vision.patch_attention import any_patch, cls_attention, full_maps
from pages.vision.patches import cut_in_patches
from pages.vision.positions import positions
from pages.vision.what_if import what_if
from views import patch_grid
from views.controls.picture_input import picture_input
from views.controls.pictures import Picture
from views.html import class_bars
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import percent

VIEWS = (
    Part("patches", Message("vision.view.patches", "Patches"), cut_in_patches, ("read-a-patch", "what-it-is")),
    Part("cls", Message("vision.view.cls", "CLS attention"), cls_attention, ("read-a-map", "what-it-is")),
    Part("any-patch", Message("vision.view.any", "Any patch"), any_patch, ("read-a-map", "what-it-is")),
    Part("layers", Message("vision.view.layers", "Through the layers"), through_the_layers),  # has its own texts
    Part("positions", Message("vision.view.positions", "Positions"), positions),
    Part("convolution", Message("vision.view.convolution", "Convolution"), beside_a_convolution),
    Part("heads", Message("vision.view.heads", "Heads"), each_head),
    Part("full-maps", Message("vision.view.maps", "Full maps"), full_maps),
    Part("what-if", Message("vision.view.what-if", "What if"), what_if, ("what-if",)),
)


def main() -> None:
    """Read the picture, trace, show the chosen view, and below it what the model received and answered in full."""
    st.title(prose.title("vision"), anchor=False)
    paragraph("vision")
    chosen = picture_input(reading())
    service = open_vision()
    if chosen.is_own:
        service = private(service)
    key, trace = service.trace_picture(chosen.image)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        view = choose(VIEWS, "view")
        name, probability = literal.markdown(trace.classes[trace.answer]), float(trace.probabilities[trace.answer])
        said = say("vision.answered", "Answer: **{name}**, {probability}", name=name, probability=percent(probability))
        st.markdown(said, width="content")
    view.show(service, key, trace)
    _answer(service, key, chosen, trace)
    config, (rows, columns) = service.model.config, trace.grid
    texts_below(
        "vision",
        view,
        values=config.patch_values,
        width=config.d_model,
        patches=rows * columns,
        columns=columns,
        layers=config.n_layers,
        classes=len(config.classes),
    )


def _answer(service: Service, key: str, chosen: Picture, trace: VisionTrace) -> None:
    """The picture as the model receives it, and what it makes of it."""
    st.header(say("vision.answer.header", "The answer"), anchor=False)
    received, said = st.columns([1, 3], gap="large")
    with received:
        height, width = trace.pixels.shape[:2]
        size = {"width": width, "height": height}
        caption = say("vision.received", "What the model receives: {width} \u00d7 {height} pixels", **size)
        alt = say("vision.scaled", "{picture}, scaled", picture=chosen.title())
        st.image(patch_grid.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with said:
        st.html(class_bars.STYLE + class_bars.bars(trace.classes, trace.probabilities))
        classes = ", ".join(map(literal.markdown, trace.classes))
        st.caption(block("vision", "only-these", count=len(trace.classes), classes=classes))
        without_an_object(service)
    from_cls(service, key, trace)


main()
