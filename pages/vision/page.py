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


@dataclass(frozen=True)
class View:
    """A view: what shows it, given the service, the picture's key and its trace, and the texts below it."""

    show: Callable[[Service, str, VisionTrace], None]
    texts: tuple[str, ...] = ()


VIEWS = {
    "Patches": View(cut_in_patches, ("How to read a patch", "What it is")),
    "CLS attention": View(cls_attention, ("How to read a map", "What it is")),
    "Any patch": View(any_patch, ("How to read a map", "What it is")),
    "Through the layers": View(through_the_layers),  # these bring their own texts
    "Positions": View(positions),
    "Heads": View(each_head),
    "Full maps": View(full_maps),
    "What if": View(what_if, ("What if",)),
}


def main() -> None:
    """Read the picture, trace, show the chosen view."""
    seen = vision_opening()
    names = tuple(VIEWS)
    view = VIEWS[widgets.pick("View", names, "view")]
    view.show(seen.service, seen.key, seen.trace)
    if view.texts:
        how_to_read(view.texts, seen)


def how_to_read(headings: tuple[str, ...], seen: Seen) -> None:
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
    st.subheader("How to read it", anchor=False)
    for column, heading in zip(st.columns(len(headings), gap="large"), headings, strict=True):
        column.markdown(prose.block("vision", heading).format(**sizes))


main()
