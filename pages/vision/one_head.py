"""Vision, Heads: the one head that is open, with its map, the answer without it, its scores and the check."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.head_ablation import ClassificationAblation
from model.attribution.head_labels import HeadScores
from pages.shared import checks
from pages.shared.head_ranking import detail, rows
from pages.shared.service import Service
from views.address import settings
from views.controls import inputs
from views.figures import overlay
from views.html import bars
from views.text import prose
from views.text.numbers import three_digits

PAGE = "vision_heads"


@dataclass(frozen=True, eq=False)
class Study:
    """What does not depend on the settings: effects on every class, scores, and mean distances in pixels."""

    effects: ClassificationAblation
    scores: HeadScores
    distance: np.ndarray
    found: rows.Found


def one_head(service: Service, key: str, study: Study, trace: VisionTrace, head: rows.Head) -> None:
    """The open head: its map, the answer without it, its scores and the check."""
    layer, number = head.layer, head.head
    st.markdown(f"**Layer {layer + 1}, head {number + 1}: where CLS looks**")
    map_ = cls_map(trace, head)
    row, place = np.unravel_index(map_.argmax(), map_.shape)
    st.image(
        overlay.enlarged(overlay.overlay(trace.pixels, map_, inputs.theme())),
        width=320,
        output_format="PNG",
        alt=f"Map of CLS in {head.name}; strongest in row {row + 1}, column {place + 1} of the patches.",
    )
    if st.button("Open it under CLS attention", on_click=_open, args=(layer, number)):
        st.rerun()  # the whole page, for the view changes
    before = trace.probabilities
    without = study.effects.without[layer, number]
    after = study.effects.probabilities[layer, number]
    change = without - study.effects.logits
    top = float(abs(change).max())
    order = np.argsort(-before)
    st.html(
        bars.table(
            ["class", "probability", "without the head", "change of the logit"],
            [
                [trace.classes[c], float(before[c]), float(after[c]), bars.bar(float(change[c]), top, "vision")]
                for c in order
            ],
            f"Answer without {head.name}",
        )
    )
    alone = service.analysis(
        ("head alone", key, layer, number), lambda model: model.logits_without(trace, layer, number)
    )
    st.caption(
        prose.block(PAGE, "Proof").format(
            head=head.name, difference=checks.said("logits of one head", float(abs(alone - without).max()))
        )
    )
    st.html(detail.scores(head, study.found))
    st.caption(detail.often(head, study.found))
    st.caption(prose.block(PAGE, "Distance").format(pixels=three_digits(float(study.distance[layer, number]))))


def cls_map(trace: VisionTrace, head: rows.Head) -> np.ndarray:
    """What CLS looks at, `(row, column)`."""
    return trace.attention[head.layer, head.head, 0, 1:].reshape(trace.grid)


def _open(layer: int, head: int) -> None:
    settings.choose("view", "CLS attention")
    inputs.choose_head(str(layer + 1), str(head + 1))
