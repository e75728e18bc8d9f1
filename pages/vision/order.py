"""Vision, positions: shuffle the patches or drop the position vectors, and see the probabilities move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model import VisionTrace
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.rearranged import compute
from views.address import settings
from views.controls import widgets
from views.export import downloads
from views.figures import overlay
from views.html import answer
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits

PAGE = "vision_positions"
CHANGES = {
    "shuffle": Message("order.shuffled", "patches shuffled"),
    "no-positions": Message("order.without", "without position vectors"),
    "both": Message("order.both", "shuffled, without position vectors"),
}
PICTURES = {  # text alternatives of the picture beside the probabilities
    "shuffle": Message("order.picture.shuffled", "The picture, patches shuffled."),
    "no-positions": Message("order.picture.without", "The picture, without position vectors."),
    "both": Message("order.picture.both", "The picture, shuffled, without position vectors."),
}
MOST = 999_999


@fragment
def order_matters(service: Service, key: str, trace: VisionTrace, learned: dict[str, str], check: str) -> None:
    """Choose a change, see the picture and the probabilities, and what a ViT lacks and has learned.

    Args:
        learned: what the text says of position vectors and heads.
        check: the difference of the recomputed similarity, for the line of checks.
    """
    st.markdown(prose.block(PAGE, "order"))
    change, seed = _settings()
    order = np.random.default_rng(seed).permutation(trace.grid[0] * trace.grid[1])
    found = service.analysis(("order", key, seed), compute, trace.pixels, order)
    after = found.changed[change]
    size = service.model.config.patch_size
    shown = trace.pixels if change == "no-positions" else overlay.rearranged(trace.pixels, order, size)
    picture, bars = st.columns([2, 3], gap="large")
    with picture:
        whole = overlay.enlarged((255 * shown).round().astype(np.uint8))
        st.image(whole, width="stretch", output_format="PNG", alt=PICTURES[change]())
    with bars:
        st.html(answer.moves(trace.classes, found.plain, after, CHANGES[change]()))
        st.markdown(_moved(trace, found.plain, after))
    words = {
        "name": literal.markdown(trace.classes[trace.answer]),
        "before": percent(float(found.plain[trace.answer])),
        "dropped": percent(float(found.changed["no-positions"][trace.answer])),
        "shift": percent(float(np.abs(found.shifted - found.plain).max())),
    }
    st.caption(
        prose.block(
            PAGE,
            "check",
            without=checks.said("shuffled patches", found.without),
            with_positions=three_digits(found.with_positions),
            similarity=check,
        )
    )
    header = [
        say("column.class", "class"),
        say("moves.before", "unchanged"),
        *(called() for called in CHANGES.values()),
    ]
    rows = [
        (name, float(found.plain[place]), *(float(found.changed[change][place]) for change in CHANGES))
        for place, name in enumerate(trace.classes)
    ]
    files.download(
        say("vision.probabilities.csv", "Probabilities as CSV"),
        lambda: downloads.table_csv(header, rows),
        "probabilities.csv",
    )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), key="moved", hide_index=True)
    st.markdown(prose.block(PAGE, "inductive-bias", **learned, **words))


def _settings() -> tuple[str, int]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        options = {
            "shuffle": say("order.change.shuffle", "Shuffle"),
            "no-positions": say("order.change.without", "No positions"),
            "both": say("order.change.both", "Both"),
        }
        change = widgets.pick(say("order.change", "Change"), options, "change")
        label, about = say("order.number", "Shuffle number"), say("order.number.help", "Each is another order.")
        seed = widgets.number(label, "shuffle", 1, 0, MOST, 1, width=150, help=about)
        st.button(say("order.again", "Shuffle again"), on_click=_again)
    return change, seed


def _again() -> None:
    settings.choose("shuffle", (settings.value("shuffle") + 1) % MOST)


def _moved(trace: VisionTrace, before: np.ndarray, after: np.ndarray) -> str:
    now = int(after.argmax())
    answer = "same-answer" if now == trace.answer else "new-answer"
    return prose.block(
        PAGE,
        "moved",
        name=literal.markdown(trace.classes[trace.answer]),
        before=percent(float(before[trace.answer])),
        arrow="\u2192",
        after=percent(float(after[trace.answer])),
        answer=prose.block(
            PAGE, answer, name=literal.markdown(trace.classes[now]), probability=percent(float(after[now]))
        ),
    )
