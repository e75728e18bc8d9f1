"""The controls of the attention viewer, and the chosen view."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from model.tracing.kinds import SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import TracedModel
from pages.shared import checks, files
from pages.shared.attention_viewer import one_weight, overview
from pages.shared.attention_viewer.export import SavedView, render_export
from pages.shared.attention_viewer.opening import (
    ANY_HEAD,
    LINES,
    HeadPlace,
    Opening,
    find_opening_head,
    open_with,
    opening_options,
)
from pages.shared.fragments import fragment
from pages.shared.provenance import Provenance, view_sentence
from pages.shared.saved_address import view_link
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph, render_check
from views.components import attention_lines, controls
from views.components.attention_kinds import GridOfKinds
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads, weight_files
from views.map_weights import Scale
from views.text.catalogue import say
from views.url_state import bound_settings
from views.viewer import viewer_controls
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.saved_facts import OPTIONS
from views.viewer.viewer_controls import chosen_kind, prepare

# The view "Lines": attention as lines between tokens, any heads of any layers at once.

ADDRESS = LINES
FIRST = attention_lines.LinesView((0,), (0,))


def render(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice], opening: Opening = ANY_HEAD
) -> KindMaps:
    """Render the lines, among whose kinds and tokens the browser chooses, and downloads of those drawn.

    Arguments and result as of `overview.render`.
    """
    in_browser = controls.fits(maps.weight_count)
    if in_browser:
        chosen = {choice.key: opening.selected(choice) for choice in choices}
    else:
        with st.container(horizontal=True, gap="medium"):
            chosen = {choice.key: choice.pick() for choice in choices}
    whole = chosen_kind(maps, chosen)
    shown = prepare(whole, chosen)
    if not controls.fits(shown.weight_count):  # the browser draws one layer of many
        layers = shown.layer_ids[:-1]
        layer = widgets.select(say("layer", "Layer"), layers, "layer", width=110)
        shown = shown.layers([shown.layer_numbers[layers.index(layer)]])
    view = _stored_view(shown, _opening_view(shown, opening))
    take_view = partial(_take_view, attention_lines.numbered_queries(shown))
    paragraph("attention_viewer", "lines")
    if in_browser:
        content = attention_lines.LinesOfKinds(maps, choices, chosen, view)
        attention_lines.lines_of_kinds(
            content, key="attention_lines", on_choose=sentence_input.store_selection, on_change=take_view
        )
    else:
        attention_lines.attention_lines(
            attention_lines.AttentionLines(shown, view), key="lines_of_one_kind", on_change=take_view
        )
    drawn = weight_files.drawn_lines(shown, view.layers, view.heads, view.mass)
    _render_files(shown, view, drawn)
    _render_export(shown, view, drawn, provenance, provenance.recipe(whole, shown))
    return shown


def _render_files(shown: KindMaps, view: attention_lines.LinesView, drawn: np.ndarray) -> None:
    """Render how many lines are drawn, and downloads of them."""
    unmasked = ~shown.masked
    count = int(unmasked.sum()) * len(view.layers) * len(view.heads)
    caption("attention_viewer", "drawn-lines", drawn=int(drawn.sum()), all=count)
    name = f"{shown.kind.name}-lines"
    with st.container(horizontal=True):
        files.download(say("lines.csv", "Lines as CSV"), lambda: weight_files.lines_csv(shown, drawn), f"{name}.csv")
        files.npz(name, lambda: weight_files.lines_arrays(shown, drawn), say("lines.npz", "Lines as NPZ"))
    chosen = shown.weights[list(view.layers)][:, list(view.heads)]  # (chosen layers, chosen heads, query, key)
    if chosen.size:
        index, columns = shown.kind.names(shown.queries.names), shown.kind.names(shown.keys.names)
        mean, corner = chosen.mean(axis=(0, 1)), shown.kind.corner
        files.folded_table(lambda: files.data_frame(mean, columns, index, corner), key="lines_table")


def _opening_view(shown: KindMaps, opening: Opening) -> attention_lines.LinesView:
    """Return the view of the head to open with, which the address then has; else the first head of the first layer."""
    if opening.in_address:
        for choice in sentence_input.head_choices(shown.layer_ids, shown.head_ids):
            opening.selected(choice)
    if opening.first is None:
        return FIRST
    view = attention_lines.LinesView((opening.first.layer,), (opening.first.head,))
    bound_settings.state_choice(ADDRESS, attention_lines.to_address(view))
    return view


def _stored_view(shown: KindMaps, first: attention_lines.LinesView) -> attention_lines.LinesView:
    """Return the view in the address, if it fits the attention; else the `first`."""
    queries = attention_lines.numbered_queries(shown)
    stored = attention_lines.from_address(bound_settings.stored_text(ADDRESS), shown.weights.shape, queries)
    if stored is None:
        return first
    _store_view(queries, stored)
    return stored


def _take_view(queries: list[int], view: attention_lines.LinesView) -> None:
    """Store, in a callback, the view that the user has chosen; `queries` are in the order of their numbers."""
    bound_settings.store_stated()
    _store_view(queries, view)


def _store_view(queries: list[int], view: attention_lines.LinesView) -> None:
    if view.locked is not None and view.locked.side == "query" and view.locked.place not in queries:
        queries = []  # more tokens are shown by now
    bound_settings.store_text(ADDRESS, "" if view == FIRST else attention_lines.to_address(view, queries))


def _render_export(
    shown: KindMaps, view: attention_lines.LinesView, drawn: np.ndarray, provenance: Provenance, recipe: tuple[str, ...]
) -> None:
    settings = {
        "look": "lines",
        "layers": [shown.layer_numbers[layer] + 1 for layer in view.layers],
        "heads": [head + 1 for head in view.heads],
        "mass": view.mass,
    }
    about = say("lines.csv.about", "every line that is drawn; attention.npz marks the same cells as drawn.")
    makers = {
        "attention.npz": (lambda: downloads.arrays_npz(weight_files.lines_arrays(shown, drawn)), ""),
        "lines.csv": (lambda: weight_files.lines_csv(shown, drawn), about),
    }
    make = lambda: attention_lines.snapshot(attention_lines.AttentionLines(shown, view))  # noqa: E731
    scale: Scale = "own" if shown.kind.places else "shared"
    link = view_link(provenance.page)
    saved = SavedView(shown, provenance, recipe, settings, link, scale, "file-of-lines", make, makers)
    render_export(saved, pictures=False)


RenderView = Callable[[AttentionMaps, Provenance, Sequence[Choice], Opening], KindMaps]
VIEWS: dict[str, RenderView] = {
    "maps": overview.render_overview,
    "lines": render,
    "one-weight": one_weight.render_one_weight,
}


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
