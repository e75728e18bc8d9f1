"""A mask that the reader picks or paints, on the decoder's self-attention of the reader's sentence."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import pattern
from pages.masks import effects
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.address import settings
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, painted, widgets
from views.text import literal, prose
from views.text.catalogue import Message, say

PATTERNS = {
    "causal": Message("masks.pattern.causal", "Causal"),
    "none": Message("masks.pattern.none", "None"),
    "window": Message("masks.pattern.window", "Window"),
    "prefix": Message("masks.pattern.prefix", "Prefix"),
}
ALL = "all"
PAINTED = "painted"  # in the session and in the address bar


def show(request: Request) -> None:
    """The mask at the left, what it does at the right, the head's matrices below."""
    explore(request, request.trace())
    st.subheader(say("how-to-read", "How to read it"), anchor=False)
    st.markdown(prose.block("masks", "your-sentence"))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing or painting runs only this part again."""
    side = len(trace.target_ids)
    with st.container(horizontal=True, gap="medium"):
        name, size = chosen_pattern()
        layers, heads = maps.names(len(trace.decoder_attention))[:-1], maps.names(trace.decoder_attention.shape[1])[:-1]
        choices = {ALL: say("masks.layers.all", "all")} | maps.said(layers)
        where = widgets.select(say("masks.layers", "Layers that use it"), choices, "where", width=130)
        layer, head = (int(number) - 1 for number in inputs.head(layers, heads))
    changed = painted.decode(settings.held(PAINTED), side)
    allowed = pattern(name, side, size) ^ changed  # (query, key)
    picture, answer = st.columns([2, 3], gap="large")
    tokens = trace.target_tokens
    with picture:
        st.markdown(prose.block("masks", "paint"))
        matrix_row(
            [
                RowMatrix(
                    say("masks.allowed", "Allowed"),
                    allowed.astype(np.float32),
                    "decoder",
                    tokens,
                    tokens,
                    say("axis.query", "query"),
                    say("axis.key", "key"),
                    signed=False,
                    words=(say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")),
                    paint=True,
                )
            ],
            inputs.theme(),
            "painter",
            inputs.remember_theme,
            lambda cells: keep_paint(changed, allowed, cells),
        )
        # always there, so that nothing below it moves with the first stroke
        st.button(say("masks.clear", "Clear paint"), on_click=clear_paint, disabled=not changed.any())
    blind = np.flatnonzero(~allowed.any(axis=1))
    if blind.size:
        query = literal.markdown(literal.token(tokens[blind[0]]))
        answer.warning(
            say(
                "masks.blind",
                "Query {place}, {token}, has no key left; let it attend to at least one token.",
                place=blind[0] + 1,
                token=query,
            )
        )
        return
    used = tuple(range(len(layers))) if where not in layers else (int(where) - 1,)
    causal = effects.effect_of(request, trace, pattern("causal", side), used, layer, head)
    effect = effects.effect_of(request, trace, allowed, used, layer, head)
    with picture:
        effects.losses(causal, effect)
    with answer:
        effects.next_tokens(trace, causal, effect)
    effects.matrices(trace, causal, effect, maps.describe(str(layer + 1), str(head + 1)))


def chosen_pattern() -> tuple[str, int]:
    """The id of the pattern and, where it has one, its size."""
    name = widgets.pick(
        say("masks.pattern", "Mask"),
        {name: label() for name, label in PATTERNS.items()},
        "mask",
        help=say(
            "masks.pattern.help",
            "Window: a query may attend to itself and the tokens just before it. Prefix: every query may attend to the "
            "first tokens.",
        ),
        on_change=clear_paint,
    )
    if name in ("window", "prefix"):
        return name, widgets.number(say("masks.tokens", "Tokens"), "pieces", 3, 1, 128)
    return name, 1


def keep_paint(changed: np.ndarray, allowed: np.ndarray, cells: list[tuple[int, int, bool]]) -> None:
    """Take over what was painted."""
    changed = changed.copy()
    for row, column, state in cells:
        changed[row, column] ^= bool(allowed[row, column]) != state
    settings.hold(PAINTED, painted.encode(changed))


def clear_paint() -> None:
    """Back to the pattern itself."""
    settings.hold(PAINTED, "")
