"""The controls of the attention viewer, and the chosen view."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from model import Trace
from model.attribution.head_labels import most_focused_head, text_scores
from model.lessons.one_weight import OneSoftmax, OneWeight, recompute_softmax, recompute_weight, score_forms
from model.text.word_alignment import find_links
from model.tracing.kinds import KINDS, SCALED
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import Record, TracedModel
from pages.shared import checks, files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export
from pages.shared.fragments import fragment
from pages.shared.models import load_alignment
from pages.shared.provenance import Provenance, view_link, view_sentence
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph, render_check
from views.components import attention_lines, controls
from views.components import one_weight as weight_view
from views.components.attention_grid import snapshot
from views.components.attention_kinds import GridOfKinds, attention_kinds
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads, drawing, weight_files
from views.export.downloads import HeadMap, map_drawing
from views.map_labels import join_ids, position_ids, to_id
from views.map_weights import Scale
from views.text import terms
from views.text.catalogue import Untranslated, say
from views.url_state import bound_settings
from views.viewer import viewer_controls, weight_steps
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.saved_facts import OPTIONS
from views.viewer.viewer_controls import chosen_kind, prepare

# The head that the attention viewer opens with, and the address that then names it.

HEAD_KEYS = ("kind", "layer", "head")  # settings in the address that name a head
LINES = "lines"  # setting of the view "Lines", which names heads too
TOKEN_KEYS = ("{}_query_piece", "{}_key_piece")  # settings of the view "One weight", by the name of its kind


@dataclass(frozen=True)
class HeadPlace:
    """A head by the name of its kind, and its layer and number from 0."""

    kind: str
    layer: int
    head: int


@dataclass(frozen=True)
class Opening:
    """What the viewer opens with."""

    in_address: bool = False  # the address always names kind, layer and head
    first: HeadPlace | None = None  # the head, where the address names none; None elsewhere
    options: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", {} if self.first is None else opening_options(self.first))

    def selected(self, choice: Choice) -> str:
        """Return the selected option of a choice that a component draws."""
        option = choice.in_component(self.options.get(choice.key, ""))
        if self.in_address and choice.key in HEAD_KEYS:
            bound_settings.state_choice(choice.key, option)
        return option


ANY_HEAD = Opening()


def opening_options(head: HeadPlace) -> dict[str, str]:
    """Return the options of the choices that select a head, by their keys."""
    return {"kind": head.kind, "layer": to_id(head.layer), "head": to_id(head.head)}


def open_with(first: HeadPlace | None, maps: AttentionMaps) -> Opening:
    """Return what the viewer opens with: `first`, unless the address names a part of a head."""
    if first is None:
        return ANY_HEAD
    tokens = [key.format(kind) for kind in maps for key in TOKEN_KEYS]
    named = any(map(bound_settings.stored_text, (*HEAD_KEYS, LINES, *tokens)))
    return Opening(True, None if named else first)


def find_opening_head(service: Service, trace: Trace) -> HeadPlace:
    """Return the head labelled "aligned" whose rows have the lowest mean entropy; cached.

    Without a word alignment of the tokenizer it is the first head.
    """
    model = service.model
    table = load_alignment(model.folder, model.card.get("tokenizer_sha256", ""))
    first = HeadPlace(model.kinds[0].name, 0, 0)
    if table is None:
        return first

    def compute(_) -> HeadPlace:
        links = find_links(table, trace.source_ids, trace.next_ids)
        weights = trace.attention("cross")
        scores = text_scores(weights, KINDS["cross"], *trace.ids("cross"), links)
        place = most_focused_head(weights, scores, "aligned")
        return first if place is None else HeadPlace("cross", *place)

    return service.analysis(("opening head", trace.source_ids, trace.next_ids), compute)


# The view "Maps": all maps of one kind, and the chosen one in detail.


def render_overview(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice], opening: Opening = ANY_HEAD
) -> KindMaps:
    """Render the overview left and the detail right, which the browser draws; below, downloads of the chosen map.

    Args:
        maps: of tokens.
        choices: among kinds, units and special tokens.
        opening: the head to open with.

    Returns:
        The chosen maps, prepared as chosen.
    """
    if not controls.fits(maps.weight_count):
        whole, shown, chosen, scale = downsampled.render(maps, provenance, choices)
    else:
        content = viewer_controls.grid_of_kinds(maps, [*choices], opening.selected)
        attention_kinds(content, key="grid", on_choose=sentence_input.store_selection)
        paragraph("attention_viewer", "overview")
        chosen = dict(content.chosen)
        whole = viewer_controls.chosen_kind(maps, chosen)
        shown, scale = viewer_controls.prepare(whole, chosen), viewer_controls.scale_choice(whole).in_component()
    _render_overview_files(whole, shown, provenance, (chosen["layer"], chosen["head"]), scale)
    return shown


def _render_overview_files(
    whole: KindMaps, shown: KindMaps, provenance: Provenance, ids: tuple[str, str], scale: Scale
) -> None:
    """Render downloads of the map whose layer and head have these ids, and of the whole view."""
    name, (layer, head) = shown.kind.name, ids
    head_map = HeadMap(shown, shown.place(layer, head), scale)
    files.map_files(head_map, name=f"{name}-layer-{layer}-head-{head}")
    files.download(say("viewer.npz", "All heads as NPZ"), lambda: weight_files.maps_npz(shown), f"{name}.npz")
    table = say("viewer.map.csv.about", "the open map, {place}: a row a query, a column a key.", place=head_map.where)
    picture = say("viewer.map.svg.about", "the same as a picture.")
    makers: dict[str, tuple[Callable[[], bytes | str], str]] = {
        "map.csv": (head_map.to_csv, table),
        "map.svg": (lambda: drawing.to_svg(map_drawing(head_map)), picture),
    }
    settings = {"look": "maps", "layer": layer, "head": head, "scale": scale}
    sheet = lambda: snapshot(downsampled.sheet(shown, provenance, scale, ids))  # noqa: E731
    origin = provenance, provenance.recipe(whole, shown)
    link = view_link(provenance.page)
    render_export(SavedView(shown, *origin, settings, link, scale, "file-of-maps", sheet, makers))


# The view "One weight": the numbers of its query and key, their products, the score and the softmax.

STRONGEST = weight_view.STRONGEST
# Kinds of weights, by their names in the script -> blocks that explain them.
CASES = {
    "plain": "one-weight",
    "formed": "weight-of-a-form",
    "sink": "weight-beside-a-sink",
    "later": "masked-weight",
    "hidden": "hidden-weight",
    "score": "weight-of-a-score",
    "maskedScore": "masked-weight-of-a-score",
    "softmax": "softmax",
}


def render_one_weight(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice], opening: Opening = ANY_HEAD
) -> KindMaps:
    """Render how the browser computes the weight of a chosen kind, head, query and key; below, its check and downloads.

    Arguments and result as of `render`; only the choice "kind" is offered, as a weight is of single tokens.
    """
    all_choices = [choice for choice in choices if choice.key == "kind"]
    chosen = {choice.key: opening.selected(choice) for choice in all_choices}
    shown = chosen_kind(maps, chosen)
    name, layers, heads = shown.kind.name, shown.layer_ids[:-1], shown.head_ids[:-1]
    chosen |= {choice.key: opening.selected(choice) for choice in sentence_input.head_choices(layers, heads)}
    all_layers = join_ids(each.layer_ids[:-1] for each in maps.values())
    all_heads = join_ids(each.head_ids[:-1] for each in maps.values())
    all_choices += sentence_input.head_choices(all_layers, all_heads)
    pairs = {each: _query_and_key_choices(of, maps.grid, each == name) for each, of in maps.items()}
    for pair in pairs.values():
        all_choices += pair
        chosen |= {choice.key: choice.in_component() for choice in pair}
    query, key = pairs[name]
    place = layers.index(chosen["layer"]), heads.index(chosen["head"]), list(query.options).index(chosen[query.key])
    chosen_key = chosen[key.key]
    record: Any = provenance.records[name]  # with queries, keys and scores; see `available_views`
    at = int(record.weights[place].argmax()) if chosen_key == STRONGEST else list(key.options).index(chosen_key) - 1
    weight = (recompute_weight if score_forms(record) else recompute_softmax)(record, *place, at)
    weights = _weights_by_kind(maps, provenance.records, pairs, name, place[:2])
    content = weight_view.WeightsOfKinds(weights, all_choices, chosen)
    weight_view.one_weight(content, "one-weight", sentence_input.store_selection)
    _render_weight_files(shown, record, weight)
    return shown


def _query_and_key_choices(maps: KindMaps, grid: tuple[int, int] | None, is_chosen: bool) -> tuple[Choice, Choice]:
    """Return the choices of query and key of one kind; those of the chosen kind are always in the address."""
    queries, keys = (
        dict(zip(position_ids(len(axis), grid), map(Untranslated, maps.kind.names(axis.names)), strict=True))
        for axis in (maps.queries, maps.keys)
    )
    first = list(queries)[0 if maps.kind.places else -1]  # CLS, or the last token
    options: dict[str, str | Untranslated] = {STRONGEST: say("one-weight.strongest", "the strongest"), **keys}
    names = f"{maps.kind.name}_query_piece", f"{maps.kind.name}_key_piece"
    return (
        Choice(say("one-weight.query", "Query"), queries, names[0], first, varies=is_chosen),
        Choice(say("one-weight.key", "Key"), options, names[1], varies=is_chosen),
    )


def _render_weight_files(maps: KindMaps, record: Record, weight: OneSoftmax) -> None:
    """Render the check of the chosen weight, and downloads of it."""
    if getattr(record, "half", False):
        difference = checks.format_difference("half attention", weight.difference)
    else:
        difference = checks.format_difference("one weight", weight.difference)
    text = "check-of-a-weight" if isinstance(weight, OneWeight) else "check-of-a-softmax"
    caption("attention_viewer", text, difference=difference)
    with st.container(horizontal=True):
        if isinstance(weight, OneWeight):
            sums = zip(weight.query, weight.key, weight.products, np.cumsum(weight.products), strict=True)
            dimensions = [[place, *map(float, line)] for place, line in enumerate(sums, 1)]
            header = [weight_view.DIMENSION(), terms.QUERY(), terms.KEY(), weight_view.PRODUCT(), weight_view.SUM()]
            files.csv(header, dimensions, "weight", say("one-weight.csv", "This weight as CSV"))
        names = maps.kind.names(maps.keys.labels)
        numbers_by_key = zip(weight.scores, weight.exponentials, weight.weights, strict=True)
        rows = [[name, *map(float, numbers)] for name, numbers in zip(names, numbers_by_key, strict=True)]
        header = [terms.KEY(), weight_view.SCORE(), weight_view.EXPONENTIAL(), terms.WEIGHT()]
        files.csv(header, rows, "softmax", say("one-weight.softmax.csv", "Its softmax as CSV"))


def _weights_by_kind(
    maps: AttentionMaps,
    records: Mapping[str, Record],
    pairs: Mapping[str, tuple[Choice, Choice]],
    name: str,
    place: tuple[int, int],
) -> dict[str, weight_view.WeightSteps]:
    """Return what the browser computes weights from: all kinds, or as much of the kind `name` as can be sent."""
    whole = {kind: _steps(each, records[kind], pairs[kind]) for kind, each in maps.items()}
    numbers = {kind: [n for n in (w.queries, w.keys, w.scores) if n is not None] for kind, w in whole.items()}
    if controls.fits_exactly(sum(numbers.values(), [])):
        return whole
    if controls.fits_exactly(numbers[name]):
        return {name: whole[name]}
    return {name: _steps(maps[name], records[name], pairs[name], place)}


def _steps(
    maps: KindMaps, record: Any, pair: tuple[Choice, Choice], place: tuple[int, int] | None = None
) -> weight_view.WeightSteps:
    """Return what the browser computes the weights of a kind from; with a `place`, of that head alone."""
    forms = score_forms(record)
    cases = CASES | {"products": "products" if forms else "no-products"}
    texts = {case: block("attention_viewer", id) for case, id in cases.items()}
    return weight_steps.of_record(maps, record, forms, [choice.key for choice in pair], texts, place)


# The view "Lines": attention as lines between tokens, any heads of any layers at once.

ADDRESS = LINES
FIRST = attention_lines.LinesView((0,), (0,))


def render(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice], opening: Opening = ANY_HEAD
) -> KindMaps:
    """Render the lines, among whose kinds and tokens the browser chooses, and downloads of those drawn.

    Arguments and result as of `render`.
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
    "maps": render_overview,
    "lines": render,
    "one-weight": render_one_weight,
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
