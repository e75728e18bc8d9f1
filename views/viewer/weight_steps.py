"""What the view "One weight" sends of a record, from which the browser computes the weights of its heads."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..components.one_weight import ScoreFormFields, WeightSteps
from .attention_maps import KindMaps


def of_record(
    maps: KindMaps,
    record: Any,
    forms: Sequence[Any],
    pair: Sequence[str],
    texts: Mapping[str, str],
    place: tuple[int, int] | None = None,
) -> WeightSteps:
    """The queries, keys and scores of one kind, as far as the browser needs them.

    Args:
        record: with queries `(layer, head, query, d_k)`, keys `(layer, group, key, d_k)` and scores
            `(layer, head, query, key)`.
        forms: of each layer, see `model.lessons.one_weight.ScoreForm`; empty if only the scores were recorded.
        pair: names of the choices of query and key.
        texts: explanations of a weight, by case.
        place: index of the only layer and head to send; by default all are sent.
    """
    names = sent_names = maps.layer_ids[:-1], maps.head_ids[:-1]
    queries, keys = (record.queries, record.keys) if forms else (None, None)
    scores = None if forms and not any(form.biased for form in forms) else record.scores
    if place is not None:
        sent_names = [names[0][place[0]]], [names[1][place[1]]]
        layer, head = (slice(at, at + 1) for at in place)
        forms = [form.of_head(place[1]) for form in forms[layer]]
        if queries is not None and keys is not None:
            group = place[1] * keys.shape[1] // queries.shape[1]  # several heads may share their keys
            queries, keys = queries[layer, head], keys[layer, group : group + 1]
        scores = None if scores is None else scores[layer, head]
    masks = list({id(form.allowed): form.allowed for form in forms if form.allowed is not None}.values())
    return WeightSteps(
        maps.kind.name,
        maps.kind.causal,
        maps.kind.places,
        maps.kind.languages,
        (maps.queries.names, maps.keys.names),
        pair,
        names,
        sent_names,
        texts,
        queries,
        keys,
        scores,
        [_describe_form(form, record.queries.shape[-1], masks) for form in forms],
        masks,
    )


def _describe_form(form: Any, d_k: int, masks: Sequence[np.ndarray]) -> ScoreFormFields:
    mask = next((place for place, mask in enumerate(masks) if mask is form.allowed), -1)
    sinks = [] if form.sinks is None else form.sinks.tolist()
    return ScoreFormFields(form.scaling, form.plain(d_k), form.softcap or 0.0, form.biased, sinks, mask)
