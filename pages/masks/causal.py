"""The check of causality: change a later token, and every earlier output stays the same to the last bit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import causality, pattern
from pages.shared import files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.address import settings
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import three_digits

RIVALS = 5


def show(request: Request) -> None:
    """Choose a token and what takes its place; see whose outputs change."""
    trace = request.trace()
    if len(trace.target_ids) < 3:
        st.info(say("masks.too-short", "This translation is too short to have a later token; type a longer sentence."))
        return
    explore(request, trace)
    st.subheader(say("how-to-read", "How to read it"), anchor=False)
    st.markdown(prose.block("masks", "causality"))


@fragment
def explore(request: Request, trace: Trace) -> None:
    """Choosing runs only this part again."""
    side = len(trace.target_ids)
    names = maps.numbered(trace.target_tokens)
    following = trace.predictions(RIVALS + 1)
    # at first the token of the second half that the model was least sure of
    doubtful = min(range(side // 2, side - 1), key=lambda place: following[place].probability)
    with st.container(horizontal=True, gap="medium"):
        label = say("masks.change", "Change the token at place")
        place = widgets.number(label, "change", doubtful + 2, 2, side, varies=True, width=190)
        position = int(place) - 1
        rivals = {
            str(candidate.id): literal.token(candidate.token)
            for candidate in following[position - 1].top
            if candidate.id != trace.target_ids[position]
        }
        chosen = replacement(rivals, names[position])
    masks = [pattern("causal", side), pattern("none", side)]
    with_mask, without = request.service.lesson(
        ("causality", trace.source_ids, trace.target_ids, position, int(chosen)),
        causality,
        *(trace, position, int(chosen), masks),
    )
    before, after = (float(changes[:, :position].max()) for changes in (with_mask, without))
    one, two = st.columns(2)
    one.metric(say("masks.change.causal", "Largest change before that place, causal mask"), three_digits(before))
    two.metric(say("masks.change.none", "The same without a mask"), three_digits(after))
    changed = [*trace.target_tokens[:position], rivals[chosen], *trace.target_tokens[position + 1 :]]
    words = say(
        "masks.change.made",
        "The decoder now reads {new} at place {place} instead of {old}",
        new=rivals[chosen],
        place=position + 1,
        old=literal.token(trace.target_tokens[position]),
    )
    st.html(tokens.label(words) + tokens.chips(changed, "decoder"))
    st.markdown(prose.block("masks", "largest-change"))
    levels = (
        say("level.embedding", "embedding"),
        *(say("level.after", "after layer {layer}", layer=number) for number in range(1, len(with_mask))),
    )
    top = float(max(with_mask.max(), without.max()))
    axes = say("axis.level", "level"), say("axis.position", "position")
    items = [
        RowMatrix(title, changes, "decoder", levels, trace.target_tokens, *axes, signed=False, top=top)
        for title, changes in (
            (say("masks.with-causal", "With the causal mask"), with_mask),
            (say("masks.without", "Without a mask"), without),
        )
    ]
    matrix_row(items, inputs.theme(), "causality", inputs.remember_theme, beside=2)
    last = [changes[-1] for changes in (with_mask, without)]
    lines = [
        [bars.data(names[place], "token"), *(bars.bar(float(column[place]), top, "decoder") for column in last)]
        for place in range(side)
    ]
    header = [
        axes[1],
        say("masks.changes.causal", "change with the causal mask"),
        say("masks.changes.none", "change without a mask"),
    ]
    name = say("masks.changes.table", "Changes by position")
    last_layer = say("masks.changes.last", "After the last layer")
    st.html(tokens.label(last_layer) + bars.table(header, lines, name, marked=position))
    st.caption(prose.block("masks", "causality-check"))
    title = say("masks.changes.title", "What changes with another token at place {place}", place=position + 1)
    with st.container(horizontal=True):
        files.matrices(items, title, "causality", say("masks.changes", "Changes"))
        files.download(say("masks.changes.npz", "Changes as NPZ"), lambda: _npz(with_mask, without), "causality.npz")


def replacement(rivals: dict[str, str], replaced: str) -> str:
    """The id of the token that takes the place of `replaced`; `rivals` are ids of tokens with what they say."""
    by_token = {token: id for id, token in rivals.items()}
    asked = settings.held("replacement")
    if asked not in rivals and asked in by_token:  # earlier versions wrote the token itself into the address
        settings.hold("replacement", by_token[asked])
    return widgets.select(
        say("masks.replacement", "Put in place of {token}", token=literal.markdown(replaced)),
        rivals,
        "replacement",
        width=240,
        help=say("masks.replacement.help", "The tokens that the model found most probable there."),
    )


def _npz(with_mask: np.ndarray, without: np.ndarray) -> bytes:
    return downloads.arrays_npz(causal=with_mask, none=without)
