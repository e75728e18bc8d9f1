"""Vision, through the layers: which class is explained, up to which layer, and how rollout fuses the heads."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import VisionTrace
from model.attribution.rollout import FUSIONS, Fusion
from pages.vision.classes import chosen_class
from views.controls import widgets
from views.text import literal
from views.text.catalogue import say


@dataclass(frozen=True)
class Request:
    """What the reader wants explained, and how."""

    class_index: int
    fusion: Fusion
    layer: int  # counted from 0

    def words(self, trace: VisionTrace) -> dict[str, str]:
        """What the text says of it."""
        name = literal.markdown(trace.classes[self.class_index])
        return {"name": name, "fusion": fusions()[self.fusion], "layer": str(self.layer + 1)}


def fusions() -> dict[Fusion, str]:
    """What rollout can make of the heads of a layer."""
    called = (say("fusion.mean", "mean"), say("fusion.max", "max"), say("fusion.min", "min"))
    return dict(zip(FUSIONS, called, strict=True))


def settings(trace: VisionTrace) -> Request:
    """The row of controls above the maps."""
    layers = tuple(str(layer + 1) for layer in range(trace.attention.shape[0]))
    with st.container(horizontal=True, gap="medium"):
        class_index = chosen_class(say("vision.explain", "Explain"), trace, width=200)
        layer = widgets.select(say("vision.upto", "Up to layer"), layers, "upto", layers[-1], width=120)
        about = say(
            "vision.fusion.help", "The mean, the largest or the least of the heads\u2019 weights on each patch."
        )
        fusion = widgets.pick(say("vision.fusion", "Rollout fuses heads by"), fusions(), "fusion", help=about)
    return Request(class_index, fusion, layers.index(layer))
