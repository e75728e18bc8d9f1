"""An opened layer: the seven stations of one place, with the network's numbers and links to the pages about them."""

from urllib.parse import urlencode

import numpy as np

from model import Trace
from model.lessons.opened_layer import OpenedLayer, open_layer
from pages.shared.requests import OutdatedError, RefusedError
from pages.shared.service import Service
from views.components.component import labels
from views.components.opened_layer import LayerRequest, Station, answer
from views.components.requests import INVALID
from views.map_labels import MEAN, describe, index_of, row_names, to_id
from views.text.catalogue import say
from views.text.numbers import short, three_digits
from views.url_state import bound_settings
from views.viewer.attention_maps import from_trace

MOST_KEYS = 4  # in a station


def open_requested(service: Service, trace: Trace, request: LayerRequest) -> dict[str, object]:
    """Return what was asked for: of the head that is drawn, or of the one whose weight is largest at the place.

    Raises:
        OutdatedError: another sentence is shown.
        RefusedError: the request was made under pulls, or the translation has no such place.
    """
    if request.text != trace.source_text:
        raise OutdatedError
    if request.pulls:
        raise RefusedError(
            say("stage.layer.pulled", "Undo the pulls first: a layer is opened as the network computes it.")
        )
    if not request.fits(from_trace(trace, service.kinds)):
        raise RefusedError(INVALID())
    weights = trace.records[request.kind].weights[:, :, request.query]  # (layer, head, key)
    layer = len(weights) - 1 if request.layer == MEAN else index_of(request.layer)
    head = int(weights[layer].max(axis=1).argmax()) if request.head == MEAN else index_of(request.head)
    place = request.kind, layer, head, request.query
    key = ("opened layer", trace.source_ids, trace.target_ids, *place)
    opened = service.lesson(key, open_layer, trace, *place)
    queries = row_names(trace.axes(request.kind)[0], trace.chosen_at(request.kind))
    keys = trace.target_tokens if request.kind == "decoder" else trace.source_tokens
    title = say(
        "stage.layer.title",
        "{kind} at {token}: layer {layer}, head {head}",
        kind=service.kinds[request.kind].headline,
        token=labels(queries)[request.query],
        layer=layer + 1,
        head=head + 1,
    )
    if MEAN in (request.layer, request.head):
        shown = describe(request.layer, request.head)
        title = say("stage.layer.title.in-mean", "{title}; the stage shows {map}", title=title, map=shown)
    notes = []
    if request.layer == MEAN:
        notes.append(say("stage.layer.last", "A mean of layers cannot be opened: the last layer is opened."))
    if request.head == MEAN:
        heads = weights.shape[1]
        notes.append(
            say("stage.layer.strongest", "Of its {heads} heads, this one has the largest weight here.", heads=heads)
        )
    settings = {"kind": request.kind, "layer": to_id(layer), "head": to_id(head)}
    listed = stations(opened, labels(keys), weights.shape[1], settings)
    return answer(title, " ".join(notes), listed, service.kinds[request.kind].languages[1])


def stations(opened: OpenedLayer, keys: list[str], heads: int, settings: dict[str, str]) -> list[Station]:
    """Return the seven stations; `settings` name the head in the addresses of pages."""
    d_model, d_k = opened.sizes
    order = [int(key) for key in np.argsort(-opened.weights, kind="stable")[:MOST_KEYS] if opened.weights[key] > 0]
    hidden = int(np.isneginf(opened.scores).sum())
    vectors = [
        (keys[key], f"{three_digits(opened.keys[key])}, {three_digits(opened.values[key])}", None) for key in order
    ]
    scores = [(keys[key], three_digits(float(opened.scores[key])), None) for key in order]
    weights = [(keys[key], short(float(opened.weights[key])), float(opened.weights[key])) for key in order]
    masked = say("stage.layer.masked", "Masked keys: {count}.", count=hidden)
    before, added, after = map(three_digits, opened.attention)
    entering, expanded, leaving = map(three_digits, opened.feed_forward)
    return [
        Station(
            say("stage.layer.input", "Input"),
            _link("inside", settings, inside="add-norm"),
            say(
                "stage.layer.input.text",
                "{d_model} numbers, length {length}",
                d_model=d_model,
                length=three_digits(opened.input),
            ),
        ),
        Station(
            say("stage.layer.projections", "q, k, v"),
            _link("inside", settings, inside="seven-steps", step="projections"),
            say("stage.layer.projections.text", "q: length {length}. Of k and v:", length=three_digits(opened.query)),
            vectors,
        ),
        Station(
            say("stage.layer.scores", "Scores"),
            _link("inside", settings, inside="seven-steps", step="scores"),
            say("stage.layer.scores.text", "q \u00b7 k \u00f7 \u221a{d_k}.", d_k=d_k)
            + (f" {masked}" if hidden else ""),
            scores,
        ),
        Station(
            say("stage.layer.softmax", "Softmax"),
            _link("inside", settings, inside="seven-steps", step="weights"),
            say("stage.layer.softmax.text", "All {count} weights add up to 1.", count=len(keys) - hidden),
            weights,
            order,
        ),
        Station(
            say("stage.layer.mean", "Weighted mean"),
            _link("inside", settings, inside="one-query"),
            say(
                "stage.layer.mean.text",
                "The values, each times its weight, add up to {d_k} numbers of length {length}.",
                d_k=d_k,
                length=three_digits(opened.mean),
            ),
        ),
        Station(
            say("stage.layer.norm", "Add & Norm"),
            _link("inside", settings, inside="add-norm"),
            say(
                "stage.layer.norm.text",
                "The {heads} heads add length {added} to length {before}; after the norm: {after}.",
                heads=heads,
                added=added,
                before=before,
                after=after,
            ),
        ),
        Station(
            say("stage.layer.feed-forward", "Feed-forward"),
            _link("inside", settings, inside="feed-forward"),
            say(
                "stage.layer.feed-forward.text",
                "{fired} of {units} units {fired:is above 0; it adds|are above 0; they add} length {added} to "
                "{before}; "
                "after the norm: {after}.",
                fired=opened.fired,
                units=opened.units,
                added=expanded,
                before=entering,
                after=leaving,
            ),
        ),
    ]


def _link(page: str, settings: dict[str, str], **part: str) -> str:
    return f"./{page}?{urlencode(bound_settings.shared_query() | settings | part, doseq=True)}"
