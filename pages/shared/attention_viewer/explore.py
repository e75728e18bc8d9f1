"""The controls of the microscope, and the part of it that is open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from model import Trace
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.check import check_line
from pages.shared.attention_viewer.subject import Subject, in_words, of_text, without_special
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views.controls import inputs, widgets
from views.text import prose
from views.text.numbers import three_digits

PARTS: dict[str, Callable[[Subject], None]] = {
    "Maps": overview.show,
    "Lines": lines.show,
    "One weight": one_weight.show,
}
UNITS = ("Pieces", "Whole words")
MARKS = ("Shown", "Hidden")


@fragment
def explore_text(request: Request, trace: Trace) -> None:
    """Look at a sentence. Changing a setting runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        part = _part()
        kind = inputs.kind()
        if part is not one_weight.show:  # that one is about single tokens
            words = widgets.pick("Rows and columns", UNITS, "units", help=prose.block("microscope", "Whole words"))
            hidden = _marks("Start and end marks")
    translator = request.service.model
    source = {"sentence": request.text, "tokenizer_sha256": translator.card.get("tokenizer_sha256", "")}
    subject = of_text(trace, kind, translator.weights_sha256, source)
    if part is not one_weight.show:
        if words == UNITS[1]:
            subject = in_words(subject, trace)
        if hidden:
            subject = without_special(subject)
    _show(part, subject)


def explore_picture(subject: Subject) -> None:
    """Look at a picture's sequence of CLS and patches."""
    with st.container(horizontal=True, gap="medium"):
        part = _part()
        if part is not one_weight.show and _marks("CLS"):
            subject = without_special(subject)
    _show(part, subject)


def _part() -> Callable[[Subject], None]:
    return PARTS[widgets.pick("Look at", tuple(PARTS), "look")]


def _marks(what: str) -> bool:
    return widgets.pick(what, MARKS, "marks", help=prose.block("microscope", "Marks")) == MARKS[1]


def _show(part: Callable[[Subject], None], subject: Subject) -> None:
    part(subject)
    if subject.removed is not None:
        low, high = subject.removed.min(), subject.removed.max()
        mean = subject.removed.mean()
        st.caption(
            prose.block("microscope", "Removed").format(
                mean=three_digits(mean), low=three_digits(max(0.0, low)), high=three_digits(high)
            )
        )
    check_line(subject)
