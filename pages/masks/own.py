"""A mask that the reader picks or paints, on the decoder's self-attention of the reader's sentence."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import pattern
from pages.masks import effects
from pages.shared.charts import matrices
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import block, paragraph
from views import maps
from views.address import settings
from views.components.matrix_row import RowMatrix
from views.controls import inputs, painted, widgets
from views.text import literal, terms
from views.text.catalogue import Message, say

PATTERNS = {
    "causal": Message("masks.pattern.causal", "Causal"),
    "none": Message("masks.pattern.none", "None"),
    "window": Message("masks.pattern.window", "Window"),
    "prefix": Message("masks.pattern.prefix", "Prefix"),
}
SIZED = ("window", "prefix")
ALL = "all"
PAINTED = "painted"  # in the session and in the address bar


def show(request: Request) -> None:
    """The mask at the left, what it does at the right, the head's matrices below."""
    explore(request, request.trace())


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing or painting runs only this part again."""
    side, tokens = len(trace.target_ids), trace.target_tokens
    layers, heads = (maps.names(count)[:-1] for count in trace.decoder_attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        help = " ".join(block("masks", "pattern-help").split())
        name = widgets.pick(say("masks.pattern", "Mask"), PATTERNS, "mask", help=help, on_change=clear_paint)
        size = widgets.number(say("masks.tokens", "Tokens"), "pieces", 3, 1, 128) if name in SIZED else 1
        choices = {ALL: say("masks.layers.all", "all")} | maps.said(layers)
        where = widgets.select(say("masks.layers", "Layers that use it"), choices, "where", width=130)
        place = inputs.head(layers, heads)
    layer, head = (int(number) - 1 for number in place)
    changed = painted.decode(settings.held(PAINTED), side)
    allowed = pattern(name, side, size) ^ changed  # (query, key)
    picture, answer = st.columns([2, 3], gap="large")
    with picture:
        paragraph("masks", "paint")
        words = say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")
        axes, label = (tokens, tokens, terms.QUERY(), terms.KEY()), say("masks.allowed", "Allowed")
        mask = RowMatrix(label, allowed.astype(np.float32), "decoder", *axes, signed=False, words=words, paint=True)
        matrices([mask], "painter", on_paint=lambda cells: keep_paint(changed, allowed, cells))
        # always there, so that nothing below it moves with the first stroke
        st.button(say("masks.clear", "Clear paint"), on_click=clear_paint, disabled=not changed.any())
    blind = np.flatnonzero(~allowed.any(axis=1))
    if blind.size:
        query = literal.markdown(literal.token(tokens[blind[0]]))
        answer.warning(block("masks", "no-key-left", place=blind[0] + 1, token=query))
        return
    used = tuple(range(len(layers))) if where not in layers else (int(where) - 1,)
    causal = effects.effect_of(request, trace, pattern("causal", side), used, layer, head)
    effect = effects.effect_of(request, trace, allowed, used, layer, head)
    with picture:
        effects.losses(causal, effect)
    with answer:
        effects.next_tokens(trace, causal, effect)
    effects.matrices(trace, causal, effect, maps.describe(*place))


def keep_paint(changed: np.ndarray, allowed: np.ndarray, cells: list[tuple[int, int, bool]]) -> None:
    """Take over what was painted."""
    changed = changed.copy()
    for row, column, state in cells:
        changed[row, column] ^= bool(allowed[row, column]) != state
    settings.hold(PAINTED, painted.encode(changed))


def clear_paint() -> None:
    """Back to the pattern itself."""
    settings.hold(PAINTED, "")
