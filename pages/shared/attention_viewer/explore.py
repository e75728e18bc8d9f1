"""The controls of the attention viewer, and the part of it that is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.save import VALUES, check_in_words, of
from pages.shared.attention_viewer.subject import Subject, in_words, of_text, without_special
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import block, caption, explained
from views.controls import inputs, widgets
from views.maps import Kind
from views.text.catalogue import say

PARTS: dict[str, Callable[[Subject], None]] = {
    "maps": overview.show,
    "lines": lines.show,
    "one-weight": one_weight.show,
}


def explore_text(request: Request, trace: SentenceTrace) -> None:
    """Look at a sentence and its translation."""
    model = request.service.model
    source = {"sentence": request.text, "tokenizer_sha256": model.card.get("tokenizer_sha256", "")}
    of = lambda kind: of_text(trace, kind, model, source)  # noqa: E731
    explore_tokens(request.service.kinds, of, parts_for(model), lambda subject: in_words(subject, trace))


@fragment
def explore_tokens(
    kinds: Mapping[str, Kind],
    of: Callable[[Kind], Subject],
    parts: tuple[str, ...],
    whole: Callable[[Subject], Subject] | None = None,
) -> None:
    """Look at text. Changing a setting runs only this part again.

    Args:
        kinds: of the model, by name.
        of: one of them, ready to be shown.
        parts: of `PARTS`, that can be opened.
        whole: the same in whole words; None where tokens are not parts of words.
    """
    with st.container(horizontal=True, gap="medium"):
        part, words = _part(parts), False
        kind = inputs.kind(kinds)
        if whole and part is not one_weight.show:  # that one is about single tokens
            words = _words()
        hidden = part is not one_weight.show and _hidden(say("viewer.special", "Special tokens"))
    subject = of(kind)
    if words:
        subject = whole(subject)
    if hidden:
        subject = without_special(subject)
    _show(part, subject)


def explore_picture(subject: Subject, parts: tuple[str, ...] = tuple(PARTS)) -> None:
    """Look at a picture's sequence of CLS and patches. `parts` of `PARTS` can be opened."""
    with st.container(horizontal=True, gap="medium"):
        part = _part(parts)
        if part is not one_weight.show and _hidden(say("viewer.special.cls", "CLS")):
            subject = without_special(subject)
    _show(part, subject)


def parts_for(model: TracedModel) -> tuple[str, ...]:
    """Of `PARTS`, those that can show its attention: only scores of one form can be taken apart."""
    apart = all(kind.score == SCALED for kind in model.kinds)
    return tuple(name for name, part in PARTS.items() if apart or part is not one_weight.show)


def _part(parts: tuple[str, ...] = tuple(PARTS)) -> Callable[[Subject], None]:
    called = {part: VALUES["look"][part] for part in parts}
    return PARTS[widgets.pick(say("viewer.look", "View"), called, "look")]


def _words() -> bool:
    """Whether rows and columns are whole words."""
    units = {id: VALUES["units"][id] for id in ("tokens", "words")}
    label, help = say("viewer.units", "Rows and columns"), block("attention_viewer", "whole-words")
    return widgets.pick(label, units, "units", help=help) == "words"


def _hidden(label: str) -> bool:
    """Whether special tokens, or CLS, are hidden."""
    help = block("attention_viewer", "special-tokens")
    return widgets.pick(label, VALUES["special_tokens"], "marks", help=help) == "hidden"


def _show(part: Callable[[Subject], None], subject: Subject) -> None:
    part(subject)
    if subject.removed is not None:
        low, mean, high = subject.removed.min(), subject.removed.mean(), subject.removed.max()
        caption("attention_viewer", "removed", mean=mean, low=max(0.0, low), high=high)
    explained(check_in_words(subject), "attention_viewer", of("what-this-checks", subject))
