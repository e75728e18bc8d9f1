"""What a saved page calls the facts about its view; `settings.json` has them by id."""

from __future__ import annotations

from views import maps
from views.text import terms
from views.text.catalogue import Message

NAMES = {
    "sentence": Message("fact.sentence", "Sentence"),
    "target": Message("fact.target", "Target"),
    "target_ids": Message("fact.target-ids", "Ids of the target tokens"),
    "pixels_sha256": Message("fact.pixels", "SHA-256 of the pixels"),
    "opened": Message("fact.opened", "Model"),
    "second": Message("fact.second", "Second text"),
    "sample": Message("fact.sample", "Picture"),
    "weights_sha256": Message("fact.weights", "SHA-256 of the weights"),
    "tokenizer_sha256": Message("fact.tokenizer", "SHA-256 of the tokenizer"),
    "attention": Message("kind.label", "Attention"),
    "shape": Message("fact.shape", "Layers \u00d7 heads \u00d7 queries \u00d7 keys"),
    "units": Message("viewer.units", "Rows and columns"),
    "special_tokens": Message("viewer.special", "Special tokens"),
    "look": Message("viewer.look", "View"),
    "layer": terms.LAYER,
    "head": terms.HEAD,
    "scale": Message("scale", "Colour scale"),
    "layers": Message("fact.layers", "Layers drawn"),
    "heads": Message("fact.heads", "Heads drawn"),
    "mass": Message("fact.mass", "Share of each query\u2019s weights drawn"),
}
_VALUES = {
    "attention": {kind.name: kind.called for kind in (*maps.KINDS.values(), maps.VISION)},
    "units": {
        "tokens": Message("viewer.units.tokens", "Tokens"),
        "words": Message("viewer.units.words", "Whole words"),
        "positions": Message("viewer.units.positions", "CLS and patches"),
    },
    "special_tokens": {
        "shown": Message("viewer.special.shown", "Shown"),
        "hidden": Message("viewer.special.hidden", "Hidden"),
    },
    "look": {"maps": Message("viewer.maps", "Maps"), "lines": Message("viewer.lines", "Lines")},
    "layer": {maps.MEAN: terms.MEAN},
    "head": {maps.MEAN: terms.MEAN},
    "scale": {
        "shared": Message("scale.shared", "Shared"),
        "own": Message("scale.own.head", "Per head"),
        "log": Message("scale.log", "Logarithmic"),
    },
}


def value(id: str, given: object) -> str:
    """What the page says for the value of the fact `id`; numbers, names and texts of the input stay as they are."""
    if isinstance(given, dict):
        return " \u00d7 ".join(map(str, given.values()))
    if isinstance(given, list):
        return ", ".join(map(str, given))
    said = _VALUES.get(id, {}).get(str(given))
    return str(given) if said is None else said()
