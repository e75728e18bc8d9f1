"""The controls of the attention viewer, and the part of it that is open."""

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
from views.text.catalogue import say
from views.text.numbers import three_digits

PARTS: dict[str, Callable[[Subject], None]] = {
    "maps": overview.show,
    "lines": lines.show,
    "one-weight": one_weight.show,
}


@fragment
def explore_text(request: Request, trace: Trace) -> None:
    """Look at a sentence. Changing a setting runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        part = _part()
        kind = inputs.kind()
        if part is not one_weight.show:  # that one is about single tokens
            words = _words()
            hidden = _hidden(say("viewer.special", "Special tokens"))
    translator = request.service.model
    source = {"sentence": request.text, "tokenizer_sha256": translator.card.get("tokenizer_sha256", "")}
    subject = of_text(trace, kind, translator.weights_sha256, source)
    if part is not one_weight.show:
        if words:
            subject = in_words(subject, trace)
        if hidden:
            subject = without_special(subject)
    _show(part, subject)


def explore_picture(subject: Subject) -> None:
    """Look at a picture's sequence of CLS and patches."""
    with st.container(horizontal=True, gap="medium"):
        part = _part()
        if part is not one_weight.show and _hidden(say("viewer.special.cls", "CLS")):
            subject = without_special(subject)
    _show(part, subject)


def _part() -> Callable[[Subject], None]:
    called = {
        "maps": say("viewer.maps", "Maps"),
        "lines": say("viewer.lines", "Lines"),
        "one-weight": say("viewer.one-weight", "One weight"),
    }
    return PARTS[widgets.pick(say("viewer.look", "View"), called, "look")]


def _words() -> bool:
    """Whether rows and columns are whole words."""
    units = {"tokens": say("viewer.units.tokens", "Tokens"), "words": say("viewer.units.words", "Whole words")}
    label, help = say("viewer.units", "Rows and columns"), prose.block("attention_viewer", "whole-words")
    return widgets.pick(label, units, "units", help=help) == "words"


def _hidden(label: str) -> bool:
    """Whether special tokens, or CLS, are hidden."""
    options = {"shown": say("viewer.special.shown", "Shown"), "hidden": say("viewer.special.hidden", "Hidden")}
    help = prose.block("attention_viewer", "special-tokens")
    return widgets.pick(label, options, "marks", help=help) == "hidden"


def _show(part: Callable[[Subject], None], subject: Subject) -> None:
    part(subject)
    if subject.removed is not None:
        low, high = subject.removed.min(), subject.removed.max()
        mean = subject.removed.mean()
        st.caption(
            prose.block(
                "attention_viewer",
                "removed",
                mean=three_digits(mean),
                low=three_digits(max(0.0, low)),
                high=three_digits(high),
            )
        )
    check_line(subject)
