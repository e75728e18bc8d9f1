"""The most probable tokens of each place of a translation, and with which probability sampling draws them."""

from dataclasses import replace

from model import DecodingOptions, Trace
from model.decoding.sampling_stages import sampling_stages
from model.tracing.trace import Prediction
from pages.shared.service import Service
from views.components.stage_changes import PlaceChances


def chances(trace: Trace) -> list[PlaceChances]:
    """Return the chosen token of each place, and its five most probable ones."""
    return [place_chances(row) for row in trace.predictions(5)]


def drawn_chances(service: Service, trace: Trace, options: DecodingOptions) -> list[PlaceChances]:
    """Return the same of a sample, with the probabilities of the draw by temperature, top k and top p.

    A drawn token that is not among the five is added to them.
    """
    never = service.model.config.never_generated
    places = []
    for logits, row in zip(trace.logits, trace.predictions(5), strict=True):
        place, ids = place_chances(row), [each.id for each in row.top]
        if row.id not in ids:
            place, ids = replace(place, top=[*place.top, (row.token, row.probability)]), [*ids, row.id]
        stages = sampling_stages(logits, options.temperature, options.top_k, options.top_p, never)
        places.append(replace(place, draws=stages.probabilities[ids].tolist()))
    return places


def shown_chances(service: Service, trace: Trace, options: DecodingOptions) -> list[PlaceChances]:
    """Return `chances`, of a sample `drawn_chances`, which is computed once."""
    if options.method != "sampling":
        return chances(trace)
    key = ("draws", trace.source_ids, trace.next_ids, options.temperature, options.top_k, options.top_p)
    return service.analysis(key, lambda model: drawn_chances(service, trace, options))


def place_chances(row: Prediction) -> PlaceChances:
    """Return the token of one place, its probability, and the most probable tokens with theirs."""
    return PlaceChances(row.token, row.probability, [(each.token, each.probability) for each in row.top])
