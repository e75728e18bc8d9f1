"""The controls of the attention viewer, and the chosen view."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared import checks
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.export import OPTIONS
from pages.shared.attention_viewer.provenance import (
    AnyTranslator,
    ViewedAttention,
    WordGrouping,
    group_tokens,
    view_sentence,
)
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, render_check
from views.components.attention_kinds import SheetsOfKinds
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.kind_labels import Kind
from views.text.catalogue import say

RenderView = Callable[[Mapping[str, ViewedAttention], Mapping[str, WordGrouping], Sequence[Choice]], ViewedAttention]
VIEWS: dict[str, RenderView] = {"maps": overview.render, "lines": lines.render, "one-weight": one_weight.render}


def explore_text(service: Service, text: str, trace: SentenceTrace, caption_html: str = "") -> None:
    """Render the viewer for a sentence and its translation. `caption_html` is placed next to the choice of the view."""
    model = service.model
    of = lambda kind: _view_sentence(text, trace, kind, model)  # noqa: E731
    explore_tokens(service.kinds, of, available_views(model), lambda kind: group_tokens(kind, trace), caption_html)


def initial_maps(service: Service, sentence: str, trace: SentenceTrace) -> SheetsOfKinds:
    """Return the maps of a sentence with default choices, of the first kind alone, for the initial HTML."""
    choices = _choices(service.kinds, in_words=True)
    first = {choice.key: choice.first for choice in choices}["kind"]
    by_kind = {first: _view_sentence(sentence, trace, service.kinds[first], service.model)}
    return overview.initial_kinds(
        by_kind, {first: group_tokens(service.kinds[first], trace)}, choices, lambda choice: choice.first
    )


def _view_sentence(sentence: str, trace: SentenceTrace, kind: Kind, model: AnyTranslator) -> ViewedAttention:
    source = {"sentence": sentence, "tokenizer_sha256": model.card.get("tokenizer_sha256", "")}
    return view_sentence(trace, kind, model, source)


@fragment
def explore_tokens(
    kinds: Mapping[str, Kind],
    of: Callable[[Kind], ViewedAttention],
    views: tuple[str, ...],
    words: Callable[[Kind], WordGrouping] | None = None,
    caption_html: str = "",
) -> None:
    """Render the viewer for text. The browser draws what is chosen; changing a setting reruns only this fragment.

    Args:
        kinds: of the model, by name.
        of: returns the attention of a kind.
        views: that can be chosen; see `available_views`.
        words: returns the words of a kind's tokens; None where tokens are not parts of words.
        caption_html: HTML next to the choice of the view.
    """
    view = _choose_view(views, caption_html)
    choices = _choices(kinds, bool(words))
    groupings = {name: words(kind) for name, kind in kinds.items()} if words else {}
    _render_check(VIEWS[view]({name: of(kind) for name, kind in kinds.items()}, groupings, choices))


def explore_picture(viewed: ViewedAttention, views: tuple[str, ...] = tuple(VIEWS)) -> None:
    """Render the viewer for a picture's sequence of CLS and patches. `views` can be chosen."""
    special = _special_token_choice(say("viewer.special.cls", "CLS"))
    _render_check(VIEWS[_choose_view(views)]({viewed.kind.name: viewed}, {}, [special]))


def available_views(model: TracedModel) -> tuple[str, ...]:
    """Return the views for a model's attention: "one-weight" needs scaled dot products."""
    scaled = all(kind.score == SCALED for kind in model.kinds)
    return tuple(VIEWS) if scaled else ("maps", "lines")


def _choose_view(views: tuple[str, ...], caption_html: str = "") -> str:
    labels = {view: OPTIONS["look"][view] for view in views}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if caption_html:
            st.html(caption_html)
        return widgets.pick(say("viewer.look", "View"), labels, "look", hidden=True)


def _choices(kinds: Mapping[str, Kind], in_words: bool) -> list[Choice]:
    choices: list[Choice] = [sentence_input.kind_choice(kinds)] if len(kinds) > 1 else []
    choices += [_unit_choice()] if in_words else []
    return [*choices, _special_token_choice(say("viewer.special", "Special tokens"))]


def _unit_choice() -> Choice:
    """Whether rows and columns are tokens or whole words."""
    units = {id: OPTIONS["units"][id] for id in ("tokens", "words")}
    return Choice(
        say("viewer.units", "Rows and columns"), units, "units", help=block("attention_viewer", "whole-words")
    )


def _special_token_choice(label: str) -> Choice:
    """Whether special tokens, or CLS, are hidden."""
    return Choice(label, OPTIONS["special_tokens"], "marks", help=block("attention_viewer", "special-tokens"))


def _render_check(viewed: ViewedAttention) -> None:
    """Render how much attention is hidden, and the result of the check."""
    if viewed.removed is not None:
        low, mean, high = viewed.removed.min(), viewed.removed.mean(), viewed.removed.max()
        caption("attention_viewer", "removed", mean=mean, low=max(0.0, low), high=high)
    line, why = checks.describe_attention_check(viewed.record, viewed.kind.causal)
    render_check(line, "attention_viewer", why)
