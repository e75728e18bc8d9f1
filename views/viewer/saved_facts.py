"""Names and labels of the facts that a saved view states: its input, settings and hashes."""

from collections.abc import Mapping

from ..kind_labels import kind_named
from ..map_labels import MEAN
from ..text import terms
from ..text.catalogue import Message
from .viewer_controls import MARKS, UNITS

NAMES = {
    "sentence": Message("fact.sentence", "Sentence"),
    "target": Message("fact.target", "Target"),
    "target_ids": Message("fact.target-ids", "Ids of the target tokens"),
    "pixels_sha256": Message("fact.pixels", "SHA-256 of the pixels"),
    "opened": Message("fact.opened", "Model"),
    "second": Message("fact.second", "Second text"),
    "target_language": Message("fact.target-language", "Language of the target"),
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
OPTIONS: dict[str, Mapping[str, Message]] = {  # fact -> value -> its label
    "units": UNITS | {"positions": Message("viewer.units.positions", "CLS and patches")},
    "special_tokens": MARKS,
    "look": {
        "maps": Message("viewer.maps", "Maps"),
        "lines": Message("viewer.lines", "Lines"),
        "one-weight": Message("viewer.one-weight", "One weight"),
    },
    "layer": {MEAN: terms.MEAN},
    "head": {MEAN: terms.MEAN},
    "scale": {
        "shared": Message("scale.shared", "Shared"),
        "own": Message("scale.own.head", "Per head"),
        "log": Message("scale.log", "Logarithmic"),
    },
}


def value_text(id: str, value: object) -> str:
    """Format the value of the fact `id`; numbers, names and texts of the input stay as they are."""
    if isinstance(value, dict):
        return " \u00d7 ".join(map(str, value.values()))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if id == "attention":
        return kind_named(str(value)).title
    label = OPTIONS.get(id, {}).get(str(value))
    return str(value) if label is None else label()
