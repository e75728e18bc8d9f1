"""Vision, what if: switch heads off, sharpen them or hide patches, and see the answer and the CLS map move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model import HeadInterventions, InterventionError, VisionTrace
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot
from pages.shared import differences, files, intervention_check, moved_heads
from pages.shared.head_changes import MASK, ONE_HOT, Board, action, strength, together
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.changed import Changed, compute
from pages.vision.hidden_patches import hidden_patches
from views import maps, patches
from views.controls import inputs, widgets
from views.export import downloads
from views.export.difference import MapPair, Side
from views.figures import overlay
from views.html import bars, tokens
from views.text import literal, prose
from views.text.catalogue import Message

PAGE = "what_if"
NAME = "vheads"  # begins the names of this view's settings in the address
ASKING = {"Every position": None, "CLS": 0}
CLS = replace(
    maps.GRID,
    called=Message("kind.cls", "attention of CLS over the picture"),
    headed=Message("kind.cls.heading", "Attention of CLS over the picture"),
)


@fragment
def what_if(service: Service, key: str, trace: VisionTrace) -> None:
    """The view. Every choice runs only this part again."""
    st.html(bars.STYLE)
    st.markdown(prose.lead(PAGE))
    left, right = st.columns(2, gap="large")
    with left:
        plan = _plan(trace)
    if plan is None:
        return
    found = service.analysis(("what if", key, plan.to_text()), compute, trace, plan)
    with right:
        _answer(trace, found)
    st.subheader("Where CLS looks", anchor=False)
    pair = _cls_maps(trace, found)
    over, heads = st.columns(2, gap="large")
    with over:
        st.subheader("The difference over the picture", anchor=False)
        _over_picture(trace, pair)
    with heads:
        st.subheader("Every head", anchor=False)
        moved_heads.show({"vision": found.moved}, {"vision": trace.attention.shape[3]})


def _plan(trace: VisionTrace) -> HeadInterventions | None:
    """What the reader wants done; None where it cannot be done, and the reason is on the page."""
    todo = action("vdo")
    layers, heads = trace.attention.shape[:2]
    behind = tuple((layers // 2, head) for head in range(heads))
    chosen = Board(NAME, layers, heads, behind).choose()
    if todo == MASK:
        places = np.flatnonzero(hidden_patches(trace)) + 1  # position 0 is CLS
        draft: HeadIntervention = Forbid("vision", chosen, tuple(map(int, places)))
    elif todo == ONE_HOT:
        draft = _one_hot(trace, chosen)
    else:
        draft = strength(todo, "vision", chosen, "v")
    if not chosen:
        st.caption("No head is chosen: press at least one.")
    plan = together(draft, NAME)
    try:
        plan.check({"vision": trace.attention.shape})
    except InterventionError as error:
        st.warning(literal.markdown(str(error)))
        return None
    return plan


def _one_hot(trace: VisionTrace, heads: Heads) -> HeadIntervention:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asking = widgets.pick("Who looks", tuple(ASKING), "vasks")
        row, column = inputs.patch(trace.grid)
    return OneHot("vision", heads, 1 + row * trace.grid[1] + column, ASKING[asking])


def _answer(trace: VisionTrace, found: Changed) -> None:
    """Class probabilities before and after, and the proof."""
    before, after = (side.astype(float) for side in (trace.probabilities, found.probabilities))
    header = ["class", "before", "after", "change"]
    values = list(zip(trace.classes, before.tolist(), after.tolist(), (after - before).tolist(), strict=True))
    shown = [
        [name, bars.bar(old, 1, "vision"), bars.bar(new, 1, "vision"), bars.bar(change, 1, "difference")]
        for name, old, new, change in values
    ]
    st.html(tokens.STYLE + tokens.label("Probability of each class") + bars.table(header, shown, "Probabilities"))
    intervention_check.show(found.check)
    files.download("Probabilities as CSV", lambda: downloads.table_csv(header, values), "what-if.csv")


def _cls_maps(trace: VisionTrace, found: Changed) -> MapPair:
    """CLS attention of a chosen head on both sides, with the difference."""
    layers, heads = (maps.names(count) for count in trace.attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
    place = layers.index(layer), heads.index(head)
    sides = [
        _side(name, maps.one(cls[:, :, None], *place)[0, 1:], trace.grid)
        for name, cls in (("before", trace.attention[:, :, 0]), ("after", found.cls))
    ]
    every = tuple(range(trace.grid[0])), tuple(range(trace.grid[1]))
    pair = MapPair(*sides, CLS, maps.describe(layer, head), (every[0], every[0]), (every[1], every[1]))
    differences.show(pair, "cls_pair", f"compare-vision-layer-{layer}-head-{head}")
    return pair


def _over_picture(trace: VisionTrace, pair: MapPair) -> None:
    grey = patches.grey(patches.as_bytes(trace.pixels))
    change = pair.difference.weights / (pair.largest or 1)
    st.image(
        overlay.enlarged(overlay.signed(grey, change, inputs.theme())),
        width=320,
        output_format="PNG",
        alt=f"The difference over the picture, {pair.place}; the table above has its numbers.",
    )


def _side(name: str, weights: np.ndarray, grid: tuple[int, int]) -> Side:
    return Side(name, weights.reshape(grid), *maps.grid_names(grid), np.zeros(grid, dtype=bool))
