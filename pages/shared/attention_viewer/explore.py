"""The controls of the attention viewer, and the part of it that is open."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared import checks
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.export import VALUES
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, group_tokens, view_sentence
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, render_check
from views.attention_maps import Kind
from views.components.attention_kinds import SheetsOfKinds
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.text.catalogue import say

RenderView = Callable[[Mapping[str, ViewedAttention], Mapping[str, WordGrouping], Sequence[Choice]], ViewedAttention]
VIEWS: dict[str, RenderView] = {"maps": overview.render, "lines": lines.render, "one-weight": one_weight.render}


def explore_text(service: Service, text: str, trace: SentenceTrace, beside: str = "") -> None:
    """Look at a sentence and its translation. `beside` is HTML to stand beside the choice of the view."""
    model = service.model
    of = lambda kind: _view_sentence(text, trace, kind, model)  # noqa: E731
    explore_tokens(service.kinds, of, available_views(model), lambda kind: group_tokens(kind, trace), beside)


def initial_maps(service: Service, sentence: str, trace: SentenceTrace) -> SheetsOfKinds:
    """The maps of a sentence as a page begins with them, where nothing was chosen yet: of the first kind alone."""
    choices = _choices(service.kinds, in_words=True)
    first = {choice.key: choice.first for choice in choices}["kind"]
    subjects = {first: _view_sentence(sentence, trace, service.kinds[first], service.model)}
    return overview.initial_kinds(
        subjects, {first: group_tokens(service.kinds[first], trace)}, choices, lambda choice: choice.first
    )


def _view_sentence(sentence: str, trace: SentenceTrace, kind: Kind, model: TracedModel) -> ViewedAttention:
    source = {"sentence": sentence, "tokenizer_sha256": model.card.get("tokenizer_sha256", "")}
    return view_sentence(trace, kind, model, source)


@fragment
def explore_tokens(
    kinds: Mapping[str, Kind],
    of: Callable[[Kind], ViewedAttention],
    parts: tuple[str, ...],
    words: Callable[[Kind], WordGrouping] | None = None,
    beside: str = "",
) -> None:
    """Look at text. The browser draws what is chosen; changing a setting runs only this part again.

    Args:
        kinds: of the model, by name.
        of: one of them, ready to be shown.
        parts: that can be opened; see `available_views`.
        words: what the tokens of a kind are joined to; None where tokens are not parts of words.
        beside: HTML to stand beside the choice of the view.
    """
    part = _choose_view(parts, beside)
    choices = _choices(kinds, bool(words))
    found = {name: words(kind) for name, kind in kinds.items()} if words else {}
    _render_check(VIEWS[part]({name: of(kind) for name, kind in kinds.items()}, found, choices))


def explore_picture(subject: ViewedAttention, parts: tuple[str, ...] = tuple(VIEWS)) -> None:
    """Look at a picture's sequence of CLS and patches. `parts` can be opened."""
    special = _special_token_choice(say("viewer.special.cls", "CLS"))
    _render_check(VIEWS[_choose_view(parts)]({subject.kind.name: subject}, {}, [special]))


def available_views(model: TracedModel) -> tuple[str, ...]:
    """The parts that can show its attention: only scores of one form can be taken apart."""
    apart = all(kind.score == SCALED for kind in model.kinds)
    return tuple(VIEWS) if apart else ("maps", "lines")


def _choose_view(parts: tuple[str, ...], beside: str = "") -> str:
    called = {part: VALUES["look"][part] for part in parts}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if beside:
            st.html(beside)
        return widgets.pick(say("viewer.look", "View"), called, "look", hidden=True)


def _choices(kinds: Mapping[str, Kind], in_words: bool) -> list[Choice]:
    choices = [sentence_input.kind_choice(kinds)] if len(kinds) > 1 else []
    choices += [_unit_choice()] if in_words else []
    return [*choices, _special_token_choice(say("viewer.special", "Special tokens"))]


def _unit_choice() -> Choice:
    """Whether rows and columns are tokens or whole words."""
    units = {id: VALUES["units"][id] for id in ("tokens", "words")}
    return Choice(
        say("viewer.units", "Rows and columns"), units, "units", help=block("attention_viewer", "whole-words")
    )


def _special_token_choice(label: str) -> Choice:
    """Whether special tokens, or CLS, are hidden."""
    return Choice(label, VALUES["special_tokens"], "marks", help=block("attention_viewer", "special-tokens"))


def _render_check(subject: ViewedAttention) -> None:
    """What is hidden, and what the check has found."""
    if subject.removed is not None:
        low, mean, high = subject.removed.min(), subject.removed.mean(), subject.removed.max()
        caption("attention_viewer", "removed", mean=mean, low=max(0.0, low), high=high)
    line, why = checks.describe_attention_check(subject.record, subject.kind.causal)
    render_check(line, "attention_viewer", why)
