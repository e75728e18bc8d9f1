"""Convert settings in URLs that earlier versions wrote. This happens once, when a URL is read.

In earlier versions a value was the label on the screen; now it is an id.
"""

import re
from collections.abc import Mapping

from .codecs import Raw

_KINDS = ("encoder", "decoder", "cross", "vision")
_CLASSES = (  # of the classifier
    *("tench", "English springer", "cassette player", "chain saw", "church"),
    *("French horn", "garbage truck", "gas pump", "golf ball", "parachute"),
)

# Settings whose old values become ids by their spelling: lower case, with hyphens for all but letters and digits.
SPELLED = frozenset(
    (
        *("method", "kind", "scale", "part", "nodes", "axis", "inside", "projection", "stack", "undone", "view"),
        *("measure", "vasks", "change", "masks", "mask", "method_shown", "numbers", "facet", "form", "curve", "where"),
        *("look", "units", "marks", "vision_query_piece", "of", "sort", "vsort", "do", "vdo"),
        *(f"{kind}{what}" for kind in _KINDS for what in ("mask", "_key_piece")),
    )
)

# name of the setting -> old value -> id, for other settings
VALUES: dict[str, dict[str, str]] = {
    # every page
    "scale": {"Per head": "own", "Per map": "own", "Logarithmic": "log"},
    # pages/decoding, pages/loss and pages/tokens
    "part": {
        "One word, many contexts": "contexts",
        "Piece by piece": "token-by-token",
        "Smoothing and gradient": "smoothing-gradient",
    },
    # pages/lessons
    "lesson": {"tokens-sizes": "tokens-step-by-step"},
    # pages/decoding
    "nodes": {"All considered": "all"},
    # pages/loss
    "scored": {"Your target": "target", "Five given pieces": "five"},
    # pages/inside and pages/tokens
    "step": {
        "1 Pieces": "tokens",
        "2 Ids": "ids",
        "3 Embedding rows": "rows",
        "4 \u00d7 \u221ad_model": "scaled",
        "5 + position": "positions",
        "1 Q, K, V": "projections",
        "2 Q K\u1d40": "products",
        "3 \u00f7 \u221ad\u2096": "scores",
        "4 Mask": "masked",
        "5 Softmax": "weights",
        "6 \u00d7 V": "output",
        "7 Concat, W\u2092": "sublayer-output",
    },
    # pages/vision
    "view": {"CLS attention": "cls", "Through the layers": "layers"},
    "explain": {"the answer": "answer"} | {name: str(number) for number, name in enumerate(_CLASSES, 1)},
    "vasks": {"Every position": "all"},
    # pages/vision and pages/positions
    "change": {"Set to 0": "none"},
    # compare
    "b": {"Same sentence, changed": "changed", "Another sentence": "other"},
    "reads": {"Its own translation": "own", "The translation of A": "a"},
    **{f"{kind}mask": {"No causal mask": "none", "Forbid pieces": "forbid"} for kind in _KINDS},
    **{f"{kind}asks": {"every query": "every"} for kind in _KINDS},
    # attribution
    "erase": {"Deleting it": "delete", "Hiding it": "mask"},
    "method_shown": {
        "Cross-attention, last layer": "last-layer",
        "Cross-attention, all layers": "all-layers",
        "Value-weighted attention": "value-weighted",
        "Gradient relevance": "gradient",
    },
    "numbers": {"Each row by its largest": "by-largest"},
    # positions
    "facet": {"Table and curves": "table", "A basis": "basis", "In the trained model": "trained-model"},
    "form": {"Column index": "column"},
    "basis": {"Columns of the encoding": "columns", "Harmonics of the length": "harmonics"},
    # attention viewer
    "units": {"Pieces": "tokens", "Whole words": "words"},
    **{f"{kind}_key_piece": {"the strongest": "strongest"} for kind in _KINDS},
    # head ranking
    **dict.fromkeys(("shown", "vshown"), {"first in the list": "first"}),
    # changes of heads
    **dict.fromkeys(("do", "vdo"), {"Switch off": "ablate", "Force a look": "one-hot"}),
}

_NUMBERED = re.compile(r"([0-9]+) .*", re.DOTALL), r"\1"  # the position of a token, and the token
_PATCH = re.compile(r"row ([0-9]+), column ([0-9]+)"), r"\1-\2"
_HEAD = re.compile(r"([a-z]+) ([0-9]+)\.([0-9]+)"), r"\1-\2-\3"

# name of the setting -> pattern of old values -> id
PATTERNS: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    # attention viewer
    **{f"{kind}_{side}_piece": (_PATCH, _NUMBERED) for kind in _KINDS for side in ("query", "key")},
    # head ranking
    **dict.fromkeys(("shown", "vshown"), (_HEAD,)),
    # compare
    **{f"{kind}{what}": (_NUMBERED,) for kind in _KINDS for what in ("asks", "sees", "forbid")},
    # masks
    "sequence": ((re.compile(r"([0-9]+) \([0-9]+ long\)"), r"\1"),),
    # attribution and tokens
    **dict.fromkeys(("target_word", "near", "piece"), (_NUMBERED,)),
}


# settings that were separate from the one that every page now shares
RENAMED = {"try_beam": "beam", "try_penalty": "penalty"}


def to_current(query: Mapping[str, Raw]) -> dict[str, Raw]:
    """The query with the current names and values."""
    converted = {name: tuple(_value(name, value) for value in raw) for name, raw in query.items()}
    return {RENAMED[name]: raw for name, raw in converted.items() if name in RENAMED} | {
        name: raw for name, raw in converted.items() if name not in RENAMED
    }


def _value(name: str, value: str) -> str:
    if (id := VALUES.get(name, {}).get(value)) is not None:
        return id
    for pattern, id in PATTERNS.get(name, ()):
        if match := pattern.fullmatch(value):
            return match.expand(id)
    return re.sub("[^a-z0-9_]+", "-", value.lower()).strip("-") if name in SPELLED else value
