"""The controls of the attention viewer, and the chosen view."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from model import Trace
from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared import checks
from pages.shared.attention_viewer import lines, one_weight, overview
from pages.shared.attention_viewer.opening import (
    ANY_HEAD,
    HeadPlace,
    Opening,
    find_opening_head,
    open_with,
    opening_options,
)
from pages.shared.fragments import fragment
from pages.shared.provenance import Provenance, view_sentence
from pages.shared.service import Service
from pages.shared.texts import block, caption, render_check
from views.components.attention_kinds import GridOfKinds
from views.controls import widgets
from views.controls.widgets import Choice
from views.text.catalogue import say
from views.viewer import viewer_controls
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.saved_facts import OPTIONS

RenderView = Callable[[AttentionMaps, Provenance, Sequence[Choice], Opening], KindMaps]
VIEWS: dict[str, RenderView] = {"maps": overview.render, "lines": lines.render, "one-weight": one_weight.render}


def explore_text(
    service: Service, text: str, trace: SentenceTrace, caption_html: str = "", first: HeadPlace | None = None
) -> None:
    """Render the viewer for a sentence and its translation.

    Args:
        caption_html: HTML next to the choice of the view.
        first: the head to open with where the address names none; the address then always names one.
    """
    explore_tokens(*_view_text(service, text, trace), available_views(service.model), caption_html, first)


def initial_maps(service: Service, sentence: str, trace: Trace) -> GridOfKinds:
    """Return the maps of a sentence with default choices, of the open kind alone, for the initial HTML."""
    maps, _ = _view_text(service, sentence, trace)
    options = opening_options(find_opening_head(service, trace))
    content = viewer_controls.grid_of_kinds(maps, _choices(maps), lambda choice: options.get(choice.key, choice.first))
    return replace(content, maps=maps.select([content.chosen["kind"]]))


def _view_text(service: Service, sentence: str, trace: SentenceTrace) -> tuple[AttentionMaps, Provenance]:
    source = {"sentence": sentence, "tokenizer_sha256": service.model.card.get("tokenizer_sha256", "")}
    return view_sentence(trace, service.kinds, service.model, source)


@fragment
def explore_tokens(
    maps: AttentionMaps,
    provenance: Provenance,
    views: tuple[str, ...],
    caption_html: str = "",
    first: HeadPlace | None = None,
) -> None:
    """Render the viewer for text. The browser draws what is chosen; changing a setting reruns only this fragment.

    Args:
        views: that can be chosen; see `available_views`.
        caption_html, first: as of `explore_text`.
    """
    view = _choose_view(views, caption_html)
    _render_check(VIEWS[view](maps, provenance, _choices(maps), open_with(first, maps)), provenance)


def explore_picture(maps: AttentionMaps, provenance: Provenance, views: tuple[str, ...] = tuple(VIEWS)) -> None:
    """Render the viewer for a picture's sequence of CLS and patches. `views` can be chosen."""
    choices = _choices(maps, say("viewer.special.cls", "CLS"))
    _render_check(VIEWS[_choose_view(views)](maps, provenance, choices, ANY_HEAD), provenance)


def available_views(model: TracedModel) -> tuple[str, ...]:
    """Return the views for a model's attention: "one-weight" needs scaled dot products."""
    scaled = all(kind.score == SCALED for kind in model.kinds)
    return tuple(VIEWS) if scaled else ("maps", "lines")


def _choose_view(views: tuple[str, ...], caption_html: str = "") -> str:
    labels = {view: OPTIONS["look"][view] for view in views}
    key = "look-row" if caption_html else None  # which has its place before the caption has its content
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key=key):
        if caption_html:
            st.html(caption_html)
        return widgets.pick(say("viewer.look", "View"), labels, "look", hidden=True)


def _choices(maps: AttentionMaps, special: str = "") -> list[Choice]:
    words, marks = (block("attention_viewer", id) for id in ("whole-words", "special-tokens"))
    units = [viewer_controls.unit_choice(help=words)] if maps.has_words else []
    return [*viewer_controls.kind_choices(maps), *units, viewer_controls.special_token_choice(special, marks)]


def _render_check(shown: KindMaps, provenance: Provenance) -> None:
    """Render how much attention is hidden, and the result of the check."""
    if shown.special_hidden:
        share = shown.hidden_share
        low, mean, high = share.min(), share.mean(), share.max()
        caption("attention_viewer", "removed", mean=mean, low=max(0.0, low), high=high)
    line, why = checks.describe_attention_check(provenance.records[shown.kind.name], shown.kind.causal)
    render_check(line, "attention_viewer", why)
