"""Expected results of the programs of *Masks* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import Trace
from model.lessons.masking import check_causality, mask_pattern, measure_mask_effect
from model.lessons.padding_batches import measure_padding_effect, pad_sequences
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_sentence, of_the_network

CAUSAL = {"mask": "causal", "size": 3, "painted": (), "layers": (1, 2, 3, 4), "layer": 1, "head": 1}
PREFIX = {"mask": "prefix", "size": 2, "painted": ((3, 1), (1, 3)), "layers": (2,), "layer": 2, "head": 5}
BATCHES = (
    {"sequences": ((62, 13, 47), (60, 96, 51, 32, 90), (35,)), "layer": 1, "head": 1},
    {"sequences": ((7, 8), (9, 1, 3, 40)), "layer": 3, "head": 4},
)


@of_a_sentence
def own_mask(network, trace: Trace, values: Values) -> Expected:
    allowed = mask_pattern(values["mask"], len(trace.target_ids), values["size"])
    for query, key in values["painted"]:
        allowed[query - 1, key - 1] ^= True
    place = values["layer"] - 1, values["head"] - 1
    effect = measure_mask_effect(network, trace, allowed, [layer - 1 for layer in values["layers"]]).head(*place)
    return {name: getattr(effect, name) for name in ("scores", "weights", "losses", "loss")}


@of_a_sentence
def changed(network, trace: Trace, values: Values) -> Expected:
    mask = mask_pattern("causal", len(trace.target_ids))
    (computed,) = check_causality(network, trace, values["place"] - 1, values["replacement"], [mask])
    return {"changes": computed, "largest_before": computed[:, : values["place"] - 1].max()}


@of_the_network
def padding(network, values: Values) -> Expected:
    batch = pad_sequences(values["sequences"])
    effect, place = measure_padding_effect(network, batch), (values["layer"] - 1, values["head"] - 1)
    masks = {name: getattr(batch, name) for name in ("ids", "padding", "causal")}
    return masks | {"masked": effect.masked[place], "unmasked": effect.unmasked[place]}


CASES: dict[str, Case] = {
    "your-sentence": (OWN | PREFIX, OTHER | CAUSAL | {"mask": "window", "size": 1}, own_mask),
    "causality": (
        OWN | {"place": 4, "replacement": 20},
        OTHER | {"place": 2, "replacement": 99},
        changed,
    ),
    "padding": (*BATCHES, padding),
}
