"""The controls of the attention viewer, and the part of it that is open."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared import checks
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.export import VALUES
from pages.shared.attention_viewer.provenance import InWords, Subject, of_text, words_of
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import block, caption, explained
from views.attention_maps import Kind
from views.components.attention_kinds import Kinds
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.text.catalogue import say

Show = Callable[[Mapping[str, Subject], Mapping[str, InWords], Sequence[Choice]], Subject]
PARTS: dict[str, Show] = {"maps": overview.show, "lines": lines.show, "one-weight": one_weight.show}


def explore_text(request: Request, trace: SentenceTrace, beside: str = "") -> None:
    """Look at a sentence and its translation. `beside` is HTML to stand beside the choice of the view."""
    model = request.service.model
    of = lambda kind: _of_text(request.text, trace, kind, model)  # noqa: E731
    explore_tokens(request.service.kinds, of, parts_for(model), lambda kind: words_of(kind, trace), beside)


def begun(service: Service, sentence: str, trace: SentenceTrace) -> Kinds:
    """The maps of a sentence as a page begins with them, where nothing was chosen yet: of the first kind alone."""
    choices = _choices(service.kinds, in_words=True)
    first = {choice.key: choice.first for choice in choices}["kind"]
    subjects = {first: _of_text(sentence, trace, service.kinds[first], service.model)}
    return overview.begun(
        subjects, {first: words_of(service.kinds[first], trace)}, choices, lambda choice: choice.first
    )


def _of_text(sentence: str, trace: SentenceTrace, kind: Kind, model: TracedModel) -> Subject:
    source = {"sentence": sentence, "tokenizer_sha256": model.card.get("tokenizer_sha256", "")}
    return of_text(trace, kind, model, source)


@fragment
def explore_tokens(
    kinds: Mapping[str, Kind],
    of: Callable[[Kind], Subject],
    parts: tuple[str, ...],
    words: Callable[[Kind], InWords] | None = None,
    beside: str = "",
) -> None:
    """Look at text. The browser draws what is chosen; changing a setting runs only this part again.

    Args:
        kinds: of the model, by name.
        of: one of them, ready to be shown.
        parts: that can be opened; see `parts_for`.
        words: what the tokens of a kind are joined to; None where tokens are not parts of words.
        beside: HTML to stand beside the choice of the view.
    """
    part = _part(parts, beside)
    choices = _choices(kinds, bool(words))
    found = {name: words(kind) for name, kind in kinds.items()} if words else {}
    _checked(PARTS[part]({name: of(kind) for name, kind in kinds.items()}, found, choices))


def explore_picture(subject: Subject, parts: tuple[str, ...] = tuple(PARTS)) -> None:
    """Look at a picture's sequence of CLS and patches. `parts` can be opened."""
    special = _special(say("viewer.special.cls", "CLS"))
    _checked(PARTS[_part(parts)]({subject.kind.name: subject}, {}, [special]))


def parts_for(model: TracedModel) -> tuple[str, ...]:
    """The parts that can show its attention: only scores of one form can be taken apart."""
    apart = all(kind.score == SCALED for kind in model.kinds)
    return tuple(PARTS) if apart else ("maps", "lines")


def _part(parts: tuple[str, ...], beside: str = "") -> str:
    called = {part: VALUES["look"][part] for part in parts}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if beside:
            st.html(beside)
        return widgets.pick(say("viewer.look", "View"), called, "look", hidden=True)


def _choices(kinds: Mapping[str, Kind], in_words: bool) -> list[Choice]:
    choices = [sentence_input.kinds_to_choose(kinds)] if len(kinds) > 1 else []
    choices += [_units()] if in_words else []
    return [*choices, _special(say("viewer.special", "Special tokens"))]


def _units() -> Choice:
    """Whether rows and columns are tokens or whole words."""
    units = {id: VALUES["units"][id] for id in ("tokens", "words")}
    return Choice(
        say("viewer.units", "Rows and columns"), units, "units", help=block("attention_viewer", "whole-words")
    )


def _special(label: str) -> Choice:
    """Whether special tokens, or CLS, are hidden."""
    return Choice(label, VALUES["special_tokens"], "marks", help=block("attention_viewer", "special-tokens"))


def _checked(subject: Subject) -> None:
    """What is hidden, and what the check has found."""
    if subject.removed is not None:
        low, mean, high = subject.removed.min(), subject.removed.mean(), subject.removed.max()
        caption("attention_viewer", "removed", mean=mean, low=max(0.0, low), high=high)
    line, why = checks.of_attention(subject.record, subject.kind.causal)
    explained(line, "attention_viewer", why)
