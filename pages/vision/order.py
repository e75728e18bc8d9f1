"""Vision, positions: shuffle the patches or drop the position vectors, and see the probabilities move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionClassifier, VisionTrace
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph
from views.address import settings
from views.controls import widgets
from views.figures import overlay
from views.html import answer
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent

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
OPTIONS = {
    "shuffle": Message("order.change.shuffle", "Shuffle"),
    "no-positions": Message("order.change.without", "No positions"),
    "both": Message("order.change.both", "Both"),
}
MOST = 999_999


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Class probabilities, `(class,)`, as the picture is and with each change of the view."""

    plain: np.ndarray
    changed: dict[str, np.ndarray]
    shifted: np.ndarray  # the picture moved by one patch to the right

    @property
    def with_positions(self) -> float:
        """Largest difference that shuffling makes."""
        return float(np.abs(self.changed["shuffle"] - self.plain).max())

    @property
    def without(self) -> float:
        """The same without position vectors: 0 up to rounding."""
        return float(np.abs(self.changed["both"] - self.changed["no-positions"]).max())


def compute(classifier: VisionClassifier, pixels: np.ndarray, order: np.ndarray) -> Probabilities:
    """Five forwards: the picture as it is, with each change, and moved."""
    size = classifier.config.patch_size
    return Probabilities(
        classifier.rearranged(pixels),
        {
            "shuffle": classifier.rearranged(pixels, order),
            "no-positions": classifier.rearranged(pixels, positions=False),
            "both": classifier.rearranged(pixels, order, positions=False),
        },
        classifier.probabilities(np.pad(pixels, ((0, 0), (size, 0), (0, 0)), mode="edge")[:, : pixels.shape[1]]),
    )


@fragment
def order_matters(service: Service, key: str, trace: VisionTrace, learned: dict[str, str], check: str) -> None:
    """Choose a change, see the picture and the probabilities, and what a ViT lacks and has learned.

    Args:
        learned: what the text says of position vectors and heads.
        check: the difference of the recomputed similarity, for the line of checks.
    """
    paragraph(PAGE, "order")
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
        _moved(trace, found.plain, after)
    without = checks.said("shuffled patches", found.without)
    caption(PAGE, "check", without=without, with_positions=found.with_positions, similarity=check)
    header = [
        say("column.class", "class"),
        say("moves.before", "unchanged"),
        *(called() for called in CHANGES.values()),
    ]
    columns = (found.plain, *(found.changed[change] for change in CHANGES))
    rows = list(zip(trace.classes, *(map(float, column) for column in columns), strict=True))
    files.sheet(header, rows, "probabilities", say("vision.probabilities.csv", "Probabilities as CSV"), key="moved")
    words = {
        "name": literal.markdown(trace.classes[trace.answer]),
        "before": percent(float(found.plain[trace.answer])),
        "dropped": percent(float(found.changed["no-positions"][trace.answer])),
        "shift": percent(float(np.abs(found.shifted - found.plain).max())),
    }
    paragraph(PAGE, "inductive-bias", **learned, **words)


def _settings() -> tuple[str, int]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        change = widgets.pick(say("order.change", "Change"), OPTIONS, "change")
        label, about = say("order.number", "Shuffle number"), say("order.number.help", "Each is another order.")
        seed = widgets.number(label, "shuffle", 1, 0, MOST, 1, width=150, help=about)
        st.button(say("order.again", "Shuffle again"), on_click=_again)
    return change, seed


def _again() -> None:
    settings.choose("shuffle", (settings.value("shuffle") + 1) % MOST)


def _moved(trace: VisionTrace, before: np.ndarray, after: np.ndarray) -> None:
    was, now = trace.answer, int(after.argmax())
    name, new = (literal.markdown(trace.classes[place]) for place in (was, now))
    id = "same-answer" if now == was else "new-answer"
    said = block(PAGE, id, name=new, probability=percent(float(after[now])))
    shares = {"before": percent(float(before[was])), "after": percent(float(after[was]))}
    paragraph(PAGE, "moved", name=name, arrow="\u2192", answer=said, **shares)
