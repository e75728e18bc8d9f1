"""The trained model with its positions taken away or mixed up: what it generates, and what the reference then costs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.decoding.tapped_decoding import greedy_under_in_steps
from model.lessons.position_effects import (
    POSITION_CHANGES,
    STACKS,
    PositionChange,
    Where,
    position_losses_in_steps,
    positions_tap,
)
from model.runtime.progress import InSteps
from pages.shared import checks, files
from pages.shared.opening import Request, translation, usable
from pages.shared.texts import block, caption, paragraph, say_if_cut
from views.controls import widgets
from views.html import bars, tokens
from views.text.catalogue import Message, say

WHERE: dict[Where, Message] = {
    "encoder": Message("positions.where.encoder", "Encoder"),
    "decoder": Message("positions.where.decoder", "Decoder"),
    "both": Message("positions.where.both", "Both"),
}
NAMES: dict[PositionChange, Message] = {
    "kept": Message("positions.change.kept", "As trained"),
    "none": Message("positions.change.none", "Set to 0"),
    "shuffled": Message("positions.change.shuffled", "Shuffled"),
    "reversed": Message("positions.change.reversed", "Reversed"),
    "shifted": Message("positions.change.shifted", "Shifted"),
}
FARTHEST = 300  # of 512 positions, so that the longest sentence still fits behind it


def show(request: Request) -> None:
    """Choose a change; read translation and loss."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph("positions", "trained-model")
    with left:
        with st.container(horizontal=True, gap="medium"):
            changes = {change: NAMES[change] for change in POSITION_CHANGES[1:]}
            change = widgets.pick(say("positions.change", "Positions are"), changes, "change")
            where = widgets.pick(say("positions.where", "Where"), WHERE, "where")
        with st.container(horizontal=True):
            seed = widgets.number(say("positions.shuffle", "Shuffle number"), "shuffle", 0, 0, 9999)
            shift = widgets.number(say("positions.by", "Shift by"), "by", 10, 0, FARTHEST)
        label = say("positions.reference", "Reference translation in French")
        hint = say("positions.reference.placeholder", "Empty: what the model generates with its positions")
        following = target(request, widgets.text(label, "reference", "", hint))
    if following is None:
        return
    tokenizer = request.service.model.tokenizer
    source = tokenizer.encode_source(request.text)
    inputs = [tokenizer.bos_id, *following[:-1]]
    key = ("position losses", tuple(source), tuple(following), seed, shift)
    given = (source, inputs, following, seed, shift)
    losses = request.service.lesson_in_steps(key, position_losses_in_steps, *given)

    def generated(chosen: PositionChange) -> list[int]:
        limit = min(2 * len(source) + 10, 128)
        key = ("under positions", tuple(source), len(inputs), where, chosen, seed, shift)

        def compute(network) -> InSteps[list[int]]:
            tap = positions_tap(network, where, chosen, len(source), len(inputs), seed, shift)
            return greedy_under_in_steps(network, source, tap, limit, following)

        return request.service.lesson_in_steps(key, compute)

    with left:
        labels = {
            "kept": say("positions.translation.kept", "Translation with positions as trained, greedy"),
            change: block("positions", "translation-changed", where=WHERE[where](), change=NAMES[change]()),
        }
        for chosen, label in labels.items():
            ids = generated(chosen)
            translation(tokenizer.decode(ids) or say("positions.nothing", "(nothing)"), label)
            say_if_cut(request.service.ended(ids), "this")
        target_tokens = tokenizer.display(following)
        for chosen in ("kept", change):
            probabilities = np.exp(-losses.per_token[where, chosen].astype(np.float64)).tolist()
            label = block("positions", "probabilities", change=NAMES[chosen]())
            st.html(tokens.label(label) + tokens.chips(target_tokens, "decoder", probabilities))
    highest = max(losses.mean(place, name) for place in STACKS for name in POSITION_CHANGES)
    header = [say("positions.column.positions", "positions"), *(place() for place in WHERE.values())]
    rows = [[NAMES[name](), *(losses.mean(place, name) for place in STACKS)] for name in POSITION_CHANGES]
    with right:
        paragraph("positions", "loss")
        shown = [[name, *(bars.bar(value, highest, "decoder") for value in row)] for name, *row in rows]
        described = say("positions.loss.table", "Loss of the reference under every change, in encoder, decoder or both")
        st.html(bars.table(header, shown, described))
    caption("positions", "trained-model-check", difference=checks.said("positions put back", losses.difference))
    files.sheet(header, rows, "positions-loss", say("positions.loss.csv", "Losses as CSV"))


def target(request: Request, reference: str) -> list[int] | None:
    """Ids of the reference with `</s>`, the model's own translation where nothing is typed; None if it is refused."""
    if not reference.strip():
        return list(request.translation())
    if not usable(request, reference, say("positions.reference.name", "Reference"), english=False):
        return None
    return request.service.model.tokenizer.encode_source(reference)
