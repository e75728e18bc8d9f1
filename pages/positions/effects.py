"""The trained model with its positions taken away or mixed up: what it writes, and what the reference then costs."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request, usable
from views.controls import widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import prose

WHERE: dict[str, Where] = {"Encoder": "encoder", "Decoder": "decoder", "Both": "both"}
NAMES: dict[PositionChange, str] = {
    "kept": "as trained",
    "none": "set to 0",
    "shuffled": "shuffled",
    "reversed": "reversed",
    "shifted": "shifted",
}
FARTHEST = 300  # of 512 positions, so that the longest sentence still fits behind it


def show(request: Request) -> None:
    """Choose a change; read translation and loss."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("positions", "In the trained model"))
    with left:
        with st.container(horizontal=True, gap="medium"):
            titles = {NAMES[change].capitalize(): change for change in POSITION_CHANGES[1:]}
            change = titles[widgets.pick("Positions are", tuple(titles), "change")]
            where = WHERE[widgets.pick("Where", tuple(WHERE), "where")]
        with st.container(horizontal=True):
            seed = widgets.number("Shuffle number", "shuffle", 0, 0, 9999)
            shift = widgets.number("Shift by", "by", 10, 0, FARTHEST)
        reference = widgets.text(
            "Reference translation in French", "reference", "", "Empty: what the model writes with its positions"
        )
        following = target(request, reference)
    if following is None:
        return
    tokenizer = request.service.model.tokenizer
    source = tokenizer.encode_source(request.text)
    inputs = [tokenizer.bos_id, *following[:-1]]
    losses = request.service.lesson_in_steps(
        ("position losses", tuple(source), tuple(following), seed, shift),
        position_losses_in_steps,
        *(source, inputs, following, seed, shift),
    )

    def generated(chosen: PositionChange) -> list[int]:
        limit = min(2 * len(source) + 10, 128)
        key = ("under positions", tuple(source), len(inputs), where, chosen, seed, shift)

        def compute(network) -> InSteps[list[int]]:
            tap = positions_tap(network, where, chosen, len(source), len(inputs), seed, shift)
            return greedy_under_in_steps(network, source, tap, limit, following)

        return request.service.lesson_in_steps(key, compute)

    with left:
        stacks = "encoder and the decoder" if where == "both" else where
        labels = {"kept": "positions as trained, greedy", change: f"positions {NAMES[change]} in the {stacks}"}
        for chosen, label in labels.items():
            ids = generated(chosen)
            text = tokens.sentence(tokenizer.decode(ids) or "(nothing)", "fr")
            st.html(tokens.label(f"Translation with {label}") + text)
            say_if_cut(request.service.ended(ids), "This translation")
        target_tokens = tokenizer.display(following)
        for title, chosen in (("as trained", "kept"), (NAMES[change], change)):
            probabilities = np.exp(-losses.per_token[where, chosen].astype(np.float64)).tolist()
            st.html(
                tokens.label(f"Probability of each piece of the reference, positions {title}")
                + tokens.chips(target_tokens, "decoder", probabilities)
            )
    highest = max(losses.mean(place, name) for place in STACKS for name in POSITION_CHANGES)
    header = ["positions", *WHERE]
    values = [[NAMES[name], *(losses.mean(place, name) for place in STACKS)] for name in POSITION_CHANGES]
    with right:
        st.markdown("**Loss of the reference: mean of** $-\\ln p$ **over its pieces**")
        shown = [[name, *(bars.bar(value, highest, "decoder") for value in row)] for name, *row in values]
        st.html(bars.table(header, shown, "Loss of the reference under every change, in encoder, decoder or both"))
    st.caption(
        prose.block("positions", "Proof in the trained model").format(
            difference=checks.said("positions put back", losses.difference)
        )
    )
    files.download("Losses as CSV", lambda: downloads.table_csv(header, values), "positions-loss.csv")
    files.numbers(lambda: pd.DataFrame(values, columns=header), hide_index=True)


def target(request: Request, reference: str) -> list[int] | None:
    """Ids of the reference with `</s>`, the model's own translation where nothing is typed; None if it is refused."""
    if not reference.strip():
        return list(request.translation())
    if not usable(request, reference, "Reference", english=False):
        return None
    return request.service.model.tokenizer.encode_source(reference)
