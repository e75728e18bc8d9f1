"""Vision, what if: ablate heads, sharpen them or hide patches, and see the answer and the CLS map move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from model import HeadInterventions, VisionClassifier, VisionTrace
from model.attribution.comparison import moved
from model.attribution.intervened import Check
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot
from pages.shared import checks, differences, files
from pages.shared.head_changes import MASK, ONE_HOT, planned
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.hidden_patches import hidden_patches
from views import maps, patches
from views.controls import inputs, widgets
from views.export.difference import MapPair, Side
from views.figures import overlay
from views.html import bars, tokens
from views.text.catalogue import Message, say

PAGE = "what_if"
NAME = "vheads"  # begins the names of this view's settings in the address
ASKING = {"all": None, "cls": 0}  # the queries; CLS is at position 0
CLS = replace(
    maps.GRID,
    called=Message("kind.cls", "attention of CLS over the picture"),
    headed=Message("kind.cls.heading", "Attention of CLS over the picture"),
)


@dataclass(frozen=True, eq=False)
class Changed:
    """What the view needs of the picture seen again under interventions, and no more: many are kept.

    Attributes:
        probabilities: `(class,)`.
        cls: `(layer, head, 1 + patch)` weights of CLS as the query.
        moved: `(layer, head)`, see `model.attribution.comparison.moved`.
    """

    probabilities: np.ndarray
    cls: np.ndarray
    moved: np.ndarray
    check: Check


def compute(classifier: VisionClassifier, trace: VisionTrace, plan: HeadInterventions) -> Changed:
    """Run the picture again under the plan."""
    found = classifier.intervene(trace, plan)
    after = found.after.attention
    return Changed(found.after.probabilities, after[:, :, 0].copy(), moved(trace.attention, after), found.check)


@fragment
def what_if(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. Every choice runs only this part again."""
    st.html(bars.STYLE)
    paragraph(PAGE)
    left, right = st.columns(2, gap="large")
    with left:
        plan = _plan(trace)
    if plan is None:
        return
    found = service.analysis(("what if", key, plan.to_text()), compute, trace, plan)
    with right:
        _answer(trace, found)
    st.subheader(say("vision.cls.map", "What CLS attends to"), anchor=False)
    pair = _cls_maps(trace, found)
    over, heads = st.columns(2, gap="large")
    with over:
        st.subheader(say("vision.difference", "The difference over the picture"), anchor=False)
        _over_picture(trace, pair)
    with heads:
        st.subheader(say("shared.every-head", "Every head"), anchor=False)
        differences.moved_heads({"vision": found.moved}, {"vision": trace.attention.shape[3]})


def _plan(trace: VisionTrace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    own = {MASK: partial(_hidden, trace), ONE_HOT: partial(_one_hot, trace)}
    return planned("vision", trace.attention, {"vision": trace.attention.shape}, (NAME, "v"), own)


def _hidden(trace: VisionTrace, heads: Heads) -> HeadIntervention:
    places = np.flatnonzero(hidden_patches(trace)) + 1  # position 0 is CLS
    return Forbid("vision", heads, tuple(map(int, places)))


def _one_hot(trace: VisionTrace, heads: Heads) -> HeadIntervention:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        queries = {"all": say("vision.query.all", "Every position"), "cls": say("vision.query.cls", "CLS")}
        asking = widgets.pick(say("vision.query", "Query"), queries, "vasks")
        row, column = inputs.patch(trace.grid)
    return OneHot("vision", heads, 1 + row * trace.grid[1] + column, ASKING[asking])


def _answer(trace: VisionTrace, found: Changed) -> None:
    """Class probabilities before and after, and the check."""
    before, after = (side.astype(float) for side in (trace.probabilities, found.probabilities))
    named = say("column.before", "before"), say("column.after", "after"), say("column.change", "change")
    header = [say("column.class", "class"), *named]
    values = list(zip(trace.classes, before.tolist(), after.tolist(), (after - before).tolist(), strict=True))
    kinds = ("vision", "vision", "difference")
    shown = [
        [bars.data(name, "name"), *(bars.bar(value, 1, kind) for value, kind in zip(row, kinds, strict=True))]
        for name, *row in values
    ]
    label = tokens.label(say("answer.caption", "Probability of each class"))
    st.html(tokens.STYLE + label + bars.table(header, shown, say("vision.probabilities", "Probabilities")))
    checks.intervention(found.check)
    files.csv(header, values, "what-if", say("vision.probabilities.csv", "Probabilities as CSV"))


def _cls_maps(trace: VisionTrace, found: Changed) -> MapPair:
    """CLS attention of a chosen head on both sides, with the difference."""
    layers, heads = (maps.names(count) for count in trace.attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
    grid, place = trace.grid, (layers.index(layer), heads.index(head))

    def side(name: str, cls: np.ndarray) -> Side:
        weights = maps.one(cls[:, :, None], *place)[0, 1:]  # (patch,)
        return Side(name, weights.reshape(grid), *maps.grid_names(grid), np.zeros(grid, dtype=bool))

    sides = (
        side(say("column.before", "before"), trace.attention[:, :, 0]),
        side(say("column.after", "after"), found.cls),
    )
    rows, columns = (tuple(range(count)) for count in grid)
    pair = MapPair(*sides, CLS, maps.describe(layer, head), (rows, rows), (columns, columns))
    differences.show(pair, "cls_pair", f"compare-vision-layer-{layer}-head-{head}")
    return pair


def _over_picture(trace: VisionTrace, pair: MapPair) -> None:
    """The same difference over the grey picture."""
    grey = patches.grey(patches.as_bytes(trace.pixels))
    shown = overlay.enlarged(overlay.signed(grey, pair.difference.weights / (pair.largest or 1), inputs.theme()))
    st.image(shown, width=320, output_format="PNG", alt=block("vision", "difference-alt", place=pair.place))
