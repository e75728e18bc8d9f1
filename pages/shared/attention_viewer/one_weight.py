"""The view "One weight": the numbers of its query and key, their products, the score and the softmax."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneSoftmax, OneWeight, recompute_softmax, recompute_weight, score_forms
from model.tracing.traced_model import Record
from pages.shared import checks, files
from pages.shared.attention_viewer.opening import ANY_HEAD, Opening
from pages.shared.provenance import Provenance
from pages.shared.texts import block, caption
from views.components import controls
from views.components import one_weight as weight_view
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.map_labels import join_ids, position_ids
from views.text import terms
from views.text.catalogue import Untranslated, say
from views.viewer import weight_steps
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.viewer_controls import chosen_kind

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

    Arguments and result as of `overview.render`; only the choice "kind" is offered, as a weight is of single tokens.
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
