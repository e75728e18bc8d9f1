"""The proof of causality: change a later token, and every earlier output stays the same to the last bit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import causality, pattern
from pages.shared import files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import literal, prose
from views.text.numbers import three_digits

RIVALS = 5


def show(request: Request) -> None:
    """Choose a token and what takes its place; see whose outputs change."""
    trace = request.trace()
    if len(trace.target_ids) < 3:
        st.info("This translation is too short to have a later piece; type a longer sentence.")
        return
    explore(request, trace)
    st.subheader("How to read it", anchor=False)
    st.markdown(prose.block("masks", "Causality"))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing runs only this part again."""
    side = len(trace.target_ids)
    names = maps.numbered(trace.target_tokens)
    following = trace.predictions(RIVALS + 1)
    # at first the token of the second half that the model was least sure of
    doubtful = min(range(side // 2, side - 1), key=lambda place: following[place].probability)
    with st.container(horizontal=True, gap="medium"):
        place = widgets.number("Change the piece at place", "change", doubtful + 2, 2, side, varies=True, width=190)
        position = int(place) - 1
        rivals = {
            literal.token(candidate.token): candidate.id
            for candidate in following[position - 1].top
            if candidate.id != trace.target_ids[position]
        }
        replacement = widgets.select(
            f"Put in place of {literal.markdown(names[position])}",
            tuple(rivals),
            "replacement",
            width=240,
            help="The pieces that the model found most probable there.",
        )
    masks = [pattern("causal", side), pattern("none", side)]
    with_mask, without = request.service.lesson(
        ("causality", trace.source_ids, trace.target_ids, position, rivals[replacement]),
        causality,
        *(trace, position, rivals[replacement], masks),
    )
    before, after = (float(changes[:, :position].max()) for changes in (with_mask, without))
    one, two = st.columns(2)
    one.metric("Largest change before that place, causal mask", three_digits(before))
    two.metric("The same without a mask", three_digits(after))
    changed = [*trace.target_tokens[:position], replacement, *trace.target_tokens[position + 1 :]]
    words = f"The decoder now reads {replacement} at place {position + 1} instead of {names[position].split()[-1]}"
    st.html(tokens.label(words) + tokens.chips(changed, "decoder"))
    st.markdown(prose.block("masks", "Largest change"))
    levels = ("embedding", *(f"after layer {number}" for number in range(1, len(with_mask))))
    top = float(max(with_mask.max(), without.max()))
    items = [
        RowMatrix(title, changes, "decoder", levels, trace.target_tokens, signed=False, top=top)
        for title, changes in (("With the causal mask", with_mask), ("Without a mask", without))
    ]
    matrix_row(items, inputs.theme(), "causality", inputs.remember_theme, beside=2)
    last = [changes[-1] for changes in (with_mask, without)]
    lines = [
        [names[place], *(bars.bar(float(column[place]), top, "decoder") for column in last)] for place in range(side)
    ]
    header = ["position", "change with the causal mask", "change without a mask"]
    st.html(tokens.label("After the last layer") + bars.table(header, lines, "Changes by position", marked=position))
    st.caption(prose.block("masks", "Proof of causality"))
    with st.container(horizontal=True):
        files.matrices(items, f"What changes with another piece at place {position + 1}", "causality", "Changes")
        files.download("Changes as NPZ", lambda: _npz(with_mask, without), "causality.npz")


def _npz(with_mask: np.ndarray, without: np.ndarray) -> bytes:
    return downloads.arrays_npz(causal=with_mask, none=without)
