"""The trained model with its positions taken away or mixed up: what it writes, and what the reference then costs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.decoding.tapped_decoding import greedy_under_in_parts
from model.lessons.position_effects import CHANGES, PLACES, Change, Where, position_losses_in_parts, positions_tap
from pages.shared import checks, files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Asked, usable
from views.controls import widgets
from views.export import downloads
from views.html import bars, pieces
from views.text import prose

WHERE: dict[str, Where] = {"Encoder": "encoder", "Decoder": "decoder", "Both": "both"}
NAMES: dict[Change, str] = {
    "kept": "as trained",
    "none": "set to 0",
    "shuffled": "shuffled",
    "reversed": "reversed",
    "shifted": "shifted",
}
FARTHEST = 300  # of 512 positions, so that the longest sentence still fits behind it


def show(asked: Asked) -> None:
    """Choose a change; read translation and loss."""
    translator = asked.service.translator
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("positions", "In the trained model"))
    with left:
        with st.container(horizontal=True, gap="medium"):
            titles = {NAMES[change].capitalize(): change for change in CHANGES[1:]}
            change = titles[widgets.pick("Positions are", tuple(titles), "change")]
            where = WHERE[widgets.pick("Where", tuple(WHERE), "where")]
        with st.container(horizontal=True):
            seed = widgets.number("Shuffle number", "shuffle", 0, 0, 9999)
            shift = widgets.number("Shift by", "by", 10, 0, FARTHEST)
        reference = widgets.text(
            "Reference translation in French", "reference", "", "Empty: what the model writes with its positions"
        )
        following = target(asked, reference)
    if following is None:
        return
    network, tokenizer = translator.network, translator.tokenizer
    source = tokenizer.encode_source(asked.text)
    inputs = [tokenizer.bos_id, *following[:-1]]
    losses = asked.service.analysis_in_parts(
        ("position losses", tuple(source), tuple(following), seed, shift),
        lambda: position_losses_in_parts(network, source, inputs, following, seed, shift),
    )

    def written(chosen: Change) -> list[int]:
        tap = positions_tap(network, where, chosen, len(source), len(inputs), seed, shift)
        limit = min(2 * len(source) + 10, 128)
        key = ("under positions", tuple(source), len(inputs), where, chosen, seed, shift)
        return asked.service.analysis_in_parts(
            key, lambda: greedy_under_in_parts(network, source, tap, limit, following)
        )

    with left:
        stacks = "encoder and the decoder" if where == "both" else where
        labels = {"kept": "positions as trained, greedy", change: f"positions {NAMES[change]} in the {stacks}"}
        for chosen, label in labels.items():
            ids = written(chosen)
            text = pieces.sentence(tokenizer.decode(ids) or "(nothing)", "fr")
            st.html(pieces.label(f"Translation with {label}") + text)
            say_if_cut(asked.service.ended(ids), "This translation")
        tokens = tokenizer.display(following)
        for title, chosen in (("as trained", "kept"), (NAMES[change], change)):
            probabilities = np.exp(-losses.per_piece[where, chosen].astype(np.float64)).tolist()
            st.html(
                pieces.label(f"Probability of each piece of the reference, positions {title}")
                + pieces.chips(tokens, "decoder", probabilities)
            )
    highest = max(losses.mean(place, name) for place in PLACES for name in CHANGES)
    header = ["positions", *WHERE]
    values = [[NAMES[name], *(losses.mean(place, name) for place in PLACES)] for name in CHANGES]
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


def target(asked: Asked, reference: str) -> list[int] | None:
    """Ids of the reference with `</s>`, the model's own translation where nothing is typed; None if it is refused."""
    translator = asked.service.translator
    if not reference.strip():
        return list(asked.translation())
    if not usable(asked, reference, "Reference", english=False):
        return None
    return translator.tokenizer.encode_source(reference)
