"""Any model that reads pictures: the picture, its classes, and the views of *Vision* as far as it can serve them."""

import hashlib

import streamlit as st

from model import HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.opened_pictures import of_patches
from pages.models import answers, attention_labels, head_effects, trace_retention
from pages.models import what_if as what_if_of_any
from pages.shared.attention_viewer.explore import explore_picture
from pages.shared.models import private, reading
from pages.shared.page_sections import pick
from pages.shared.service import Service
from pages.vision.layers import through_the_layers
from pages.vision.patch_attention import any_patch, cls_attention
from pages.vision.what_if import what_if
from views import patch_grid
from views.controls.picture_input import picture_input
from views.text.catalogue import Message, say

PARTS = {
    "attention": Message("models.part.attention", "Attention"),
    "cls": Message("vision.view.cls", "CLS attention"),
    "any-patch": Message("vision.view.any", "Any patch"),
    "layers": Message("vision.view.layers", "Through the layers"),
    "heads": Message("models.part.heads", "Heads"),
    "what-if": Message("vision.view.what-if", "What if"),
}
PATCHES = {"cls": cls_attention, "any-patch": any_patch, "layers": through_the_layers, "what-if": what_if}
NEEDS = {"layers": "explain", "heads": "ablate"}  # capabilities


def show(service: Service) -> None:
    """Read the picture, trace, show.

    Raises:
        OpenError: the maps would be too large.
    """
    model: OpenedModel = service.model
    chosen = picture_input(reading())
    if chosen.is_own:
        service = private(service)
    key = hashlib.sha256(chosen.image.convert("RGB").tobytes()).hexdigest()
    trace = service.traces.get_or_compute(("traced", key), lambda: model.trace(chosen.image), service.computing)
    _received(trace)
    seen = of_patches(trace)
    offered = {
        id: called
        for id, called in PARTS.items()
        if (id not in NEEDS or NEEDS[id] in model.capabilities)
        and (id not in PATCHES or id == "what-if" or seen is not None)
    }
    part = pick(offered, "part", varies=True)
    if part == "what-if" and (seen is None or "explain" not in model.capabilities):
        what_if_of_any.show(service, trace, chosen.image, {}, None, (key,))  # no class to explain: maps and patterns
    elif part in PATCHES:
        PATCHES[part](service, key, seen)
    elif part == "heads":
        head_effects.show(service, trace, chosen.image, {}, (key,))
    else:
        (kind,) = attention_labels.kinds(model).values()
        explore_picture(attention_labels.of(model, trace, kind, {"pixels_sha256": key}), attention_labels.parts(trace))
        trace_retention.show(trace)


def _received(trace: HubTrace) -> None:
    """The picture as the model receives it, and its most probable classes."""
    received, said = st.columns([2, 3], gap="large")
    with received:
        height, width = trace.pixels.shape[:2]
        size = {"width": width, "height": height}
        caption = say("vision.received", "What the model receives: {width} \u00d7 {height} pixels", **size)
        alt = say("models.picture.scaled", "the picture, scaled")
        st.image(patch_grid.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with said:
        if trace.classes is not None:
            answers.classes(trace)
