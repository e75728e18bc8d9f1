"""An opened model of pictures: the picture, its classes, and those views of *Vision* that it supports."""

import hashlib

import streamlit as st

from model import HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.opened_pictures import patch_trace
from pages.models import answers, attention_labels, head_effects, trace_retention
from pages.models import what_if as what_if_of_any
from pages.shared.attention_viewer.explore import explore_picture, explore_tokens
from pages.shared.models import picture_lock, private_service
from pages.shared.page_sections import pick_section
from pages.shared.service import Service
from pages.vision.causes import render_causes
from pages.vision.layers import render_layers
from pages.vision.patch_attention import render_any_patch, render_cls
from pages.vision.what_if import render_what_if
from views import patch_grid
from views.controls.picture_input import picture_input
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent

SECTIONS = {
    "attention": Message("models.part.attention", "Attention"),
    "cls": Message("vision.view.cls", "CLS attention"),
    "any-patch": Message("vision.view.any", "Any patch"),
    "layers": Message("vision.view.layers", "Through the layers"),
    "heads": Message("models.part.heads", "Heads"),
    "causes": Message("vision.view.causes", "Causes"),
    "what-if": Message("vision.view.what-if", "What if"),
}
RENDER_PATCHES = {
    "cls": render_cls,
    "any-patch": render_any_patch,
    "layers": render_layers,
    "causes": render_causes,
    "what-if": render_what_if,
}
NEEDS = {"layers": "explain", "heads": "ablate", "causes": "explain"}  # capabilities


def render(service: Service[OpenedModel]) -> None:
    """Read the picture, trace it, and render the chosen section.

    Raises:
        OpenError: the maps would be too large.
    """
    model = service.model
    with st.container(key="vision-top"):  # leaves most of the first screen for the section, as on *Vision*
        chosen = picture_input(picture_lock())
        if chosen.is_own:
            service = private_service(service)
        image = chosen.image
        key = hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()
        trace = service.traces.get_or_compute(("traced", key), lambda: model.trace(image), service.computing)
        patches = patch_trace(trace)
        options = {
            id: label
            for id, label in SECTIONS.items()
            if (id not in NEEDS or NEEDS[id] in model.capabilities)
            and (id not in RENDER_PATCHES or id == "what-if" or patches is not None)
        }
        section = pick_section(options, "part", varies=True)
        _render_answer_line(trace)
    if section == "what-if" and (patches is None or "explain" not in model.capabilities):
        what_if_of_any.render(service, trace, image, {}, None, (key,))  # no class to explain: maps and patterns
    elif section in RENDER_PATCHES and patches is not None:
        RENDER_PATCHES[section](service, key, patches)
    elif section == "heads":
        head_effects.render(service, trace, image, {}, (key,))
    else:
        viewed = attention_labels.view_opened(model, trace, {"pixels_sha256": key})
        # several kinds where layers have different numbers of heads
        explore = explore_picture if len(trace.records) == 1 else explore_tokens
        explore(*viewed, attention_labels.available_views(trace))
        trace_retention.render(trace)
    _render_input(model, trace)


def _render_answer_line(trace: HubTrace) -> None:
    """Render the most probable class in one line, if the answers are probabilities."""
    if trace.classes is None or trace.form == "scores":
        return
    probabilities = trace.answers.reshape(-1)
    best = int(probabilities.argmax())
    values = {"name": literal.markdown(trace.classes[best]), "probability": percent(float(probabilities[best]))}
    with st.container(key="answered"):
        st.markdown(say("vision.answered", "Answer: **{name}**, {probability}", **values))


def _render_input(model: OpenedModel, trace: HubTrace) -> None:
    """Render the picture as the model receives it, and its most probable classes."""
    assert trace.pixels is not None
    if trace.classes is not None:
        st.header(say("vision.answer.header", "The answer"), anchor=False)
    picture, answer = st.columns([2, 3], gap="large")
    with picture:
        height, width = trace.pixels.shape[:2]
        size = {"width": width, "height": height}
        caption = say("vision.received", "What the model receives: {width} \u00d7 {height} pixels", **size)
        alt = say("models.picture.scaled", "the picture, scaled")
        st.image(patch_grid.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with answer:
        if trace.classes is not None:
            answers.render_classes(trace)
        answers.render_left_out(model)
