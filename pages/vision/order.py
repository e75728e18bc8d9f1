"""Vision, positions: shuffle the patches or drop the position vectors, and see the probabilities move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model import VisionClassifier, VisionTrace
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from views.address import settings
from views.controls import widgets
from views.export import downloads
from views.figures import overlay
from views.html.moves import moves
from views.text import literal, prose
from views.text.numbers import percent, three_digits

PAGE = "vision_positions"
CHANGES = {
    "Shuffle": "patches shuffled",
    "No positions": "without position vectors",
    "Both": "shuffled, without position vectors",
}
MOST = 999_999


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Class probabilities, `(class,)`, as the picture is and with each of `CHANGES`."""

    plain: np.ndarray
    changed: dict[str, np.ndarray]
    shifted: np.ndarray  # the picture moved by one patch to the right

    @property
    def with_positions(self) -> float:
        """Largest difference that shuffling makes."""
        return float(np.abs(self.changed["Shuffle"] - self.plain).max())

    @property
    def without(self) -> float:
        """The same without position vectors: 0 up to rounding."""
        return float(np.abs(self.changed["Both"] - self.changed["No positions"]).max())


def compute(classifier: VisionClassifier, pixels: np.ndarray, order: np.ndarray) -> Probabilities:
    """Five forwards: the picture as it is, with each change, and moved."""
    size = classifier.config.patch_size
    return Probabilities(
        classifier.rearranged(pixels),
        {
            "Shuffle": classifier.rearranged(pixels, order),
            "No positions": classifier.rearranged(pixels, positions=False),
            "Both": classifier.rearranged(pixels, order, positions=False),
        },
        classifier.probabilities(np.pad(pixels, ((0, 0), (size, 0), (0, 0)), mode="edge")[:, : pixels.shape[1]]),
    )


@fragment
def order_matters(service: Service, key: str, trace: VisionTrace, learned: dict[str, str], check: str) -> None:
    """Choose a change, see the picture and the probabilities, and what a ViT lacks and has learned.

    Args:
        learned: what the text says of position vectors and heads.
        check: the difference of the recomputed similarity, for the proof.
    """
    st.markdown(prose.block(PAGE, "Order"))
    change, seed = _settings()
    order = np.random.default_rng(seed).permutation(trace.grid[0] * trace.grid[1])
    found = service.analysis(("order", key, seed), compute, trace.pixels, order)
    after = found.changed[change]
    size = service.model.config.patch_size
    shown = trace.pixels if change == "No positions" else overlay.rearranged(trace.pixels, order, size)
    picture, bars = st.columns([2, 3], gap="large")
    with picture:
        whole = overlay.enlarged((255 * shown).round().astype(np.uint8))
        st.image(whole, width="stretch", output_format="PNG", alt=f"The picture, {CHANGES[change]}.")
    with bars:
        st.html(moves(trace.classes, found.plain, after, CHANGES[change]))
        st.markdown(_moved(trace, found.plain, after))
    words = {
        "name": literal.markdown(trace.classes[trace.answer]),
        "before": percent(float(found.plain[trace.answer])),
        "dropped": percent(float(found.changed["No positions"][trace.answer])),
        "shift": percent(float(np.abs(found.shifted - found.plain).max())),
    }
    st.caption(
        prose.block(PAGE, "Proof").format(
            without=checks.said("shuffled patches", found.without),
            with_positions=three_digits(found.with_positions),
            similarity=check,
        )
    )
    header = ["class", "as it is", *CHANGES.values()]
    rows = [
        (name, float(found.plain[place]), *(float(found.changed[change][place]) for change in CHANGES))
        for place, name in enumerate(trace.classes)
    ]
    files.download("Probabilities as CSV", lambda: downloads.table_csv(header, rows), "probabilities.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), key="moved", hide_index=True)
    st.markdown(prose.block(PAGE, "Inductive bias").format(**learned, **words))


def _settings() -> tuple[str, int]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        options = tuple(CHANGES)
        change = widgets.pick("Change", options, "change")
        seed = widgets.number("Shuffle number", "shuffle", 1, 0, MOST, 1, width=150, help="Each is another order.")
        st.button("Shuffle again", on_click=_again)
    return change, seed


def _again() -> None:
    settings.choose("shuffle", (settings.value("shuffle") + 1) % MOST)


def _moved(trace: VisionTrace, before: np.ndarray, after: np.ndarray) -> str:
    now = int(after.argmax())
    answer = "Same answer" if now == trace.answer else "New answer"
    return prose.block(PAGE, "Moved").format(
        name=literal.markdown(trace.classes[trace.answer]),
        before=percent(float(before[trace.answer])),
        arrow="\u2192",
        after=percent(float(after[trace.answer])),
        answer=prose.block(PAGE, answer).format(
            name=literal.markdown(trace.classes[now]), probability=percent(float(after[now]))
        ),
    )
