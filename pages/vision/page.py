"""A Vision Transformer on the reader's own picture: patches, attention of every head, what matters, positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from model import VisionTrace
from pages.shared.service import Service
from pages.vision.any_patch import any_patch
from pages.vision.cls import cls_attention
from pages.vision.full_maps import full_maps
from pages.vision.heads import each_head
from pages.vision.layers import through_the_layers
from pages.vision.opening import Seen, vision_opening
from pages.vision.patches import cut_in_patches
from pages.vision.positions import positions
from pages.vision.what_if import what_if
from views.controls import widgets
from views.text import prose
from views.text.catalogue import Message, say


@dataclass(frozen=True)
class View:
    """A view: its name, what shows it, given the service, the picture's key and its trace, and the texts below it."""

    called: Message
    show: Callable[[Service, str, VisionTrace], None]
    texts: tuple[str, ...] = ()


VIEWS = {
    "patches": View(Message("vision.view.patches", "Patches"), cut_in_patches, ("read-a-patch", "what-it-is")),
    "cls": View(Message("vision.view.cls", "CLS attention"), cls_attention, ("read-a-map", "what-it-is")),
    "any-patch": View(Message("vision.view.any", "Any patch"), any_patch, ("read-a-map", "what-it-is")),
    "layers": View(Message("vision.view.layers", "Through the layers"), through_the_layers),  # has its own texts
    "positions": View(Message("vision.view.positions", "Positions"), positions),
    "heads": View(Message("vision.view.heads", "Heads"), each_head),
    "full-maps": View(Message("vision.view.maps", "Full maps"), full_maps),
    "what-if": View(Message("vision.view.what-if", "What if"), what_if, ("what-if",)),
}


def main() -> None:
    """Read the picture, trace, show the chosen view."""
    seen = vision_opening()
    names = {id: view.called() for id, view in VIEWS.items()}
    view = VIEWS[widgets.pick(say("vision.view", "View"), names, "view")]
    view.show(seen.service, seen.key, seen.trace)
    if view.texts:
        how_to_read(view.texts, seen)


def how_to_read(texts: tuple[str, ...], seen: Seen) -> None:
    """The texts below a view, with the sizes of this model."""
    config, (rows, columns) = seen.service.model.config, seen.trace.grid
    sizes = dict(
        values=config.patch_values,
        width=config.d_model,
        patches=rows * columns,
        columns=columns,
        layers=config.n_layers,
        classes=len(config.classes),
    )
    st.subheader(say("shared.how-to-read", "How to read it"), anchor=False)
    for column, text in zip(st.columns(len(texts), gap="large"), texts, strict=True):
        column.markdown(prose.block("vision", text, **sizes))


main()
