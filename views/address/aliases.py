"""What earlier versions wrote into addresses, and what is written for it today: translated once, on arrival.

In earlier versions a value was what its control said on the screen; today it is an id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from views.address.codecs import Raw

_KINDS = ("encoder", "decoder", "cross", "vision")

# name of the setting -> old value -> id
VALUES: dict[str, dict[str, str]] = {
    # every page
    "method": {"Greedy": "greedy", "Beam": "beam", "Sampling": "sampling"},
    "kind": {"Encoder": "encoder", "Decoder": "decoder", "Cross": "cross"},
    "scale": {"Shared": "shared", "Per head": "own", "Per map": "own", "Logarithmic": "log"},
    # pages/decoding, pages/loss and pages/tokens
    "part": {
        "Step by step": "step-by-step",
        "Neighbours": "neighbours",
        "Spelling": "spelling",
        "One word, many contexts": "contexts",
        "Word order": "word-order",
        "Sizes": "sizes",
        "Linear + softmax": "linear-softmax",
        "Teacher forcing": "teacher-forcing",
        "Beam search": "beam-search",
        "Piece by piece": "token-by-token",
        "Smoothing and gradient": "smoothing-gradient",
        "Training curves": "training-curves",
    },
    # pages/decoding
    "nodes": {"Kept": "kept", "All considered": "all"},
    # pages/loss
    "axis": {"Steps": "steps", "Epochs": "epochs"},
    "scored": {"Your target": "target", "Five given pieces": "five"},
    # pages/inside
    "inside": {
        "Seven steps": "seven-steps",
        "One query": "one-query",
        "Heads": "heads",
        "Memory": "memory",
        "Scaling": "scaling",
        "Feed-forward": "feed-forward",
        "Add & Norm": "add-norm",
    },
    "projection": {"Query": "query", "Key": "key", "Value": "value"},
    "stack": {"Encoder": "encoder", "Decoder": "decoder"},
    "undone": {"All": "all", "Encoder": "encoder", "Decoder": "decoder", "Cross": "cross"},
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
    "view": {
        "Patches": "patches",
        "CLS attention": "cls",
        "Any patch": "any-patch",
        "Through the layers": "layers",
        "Positions": "positions",
        "Heads": "heads",
        "Full maps": "full-maps",
        "What if": "what-if",
    },
    "explain": {
        "the answer": "answer",
        "tench": "1",
        "English springer": "2",
        "cassette player": "3",
        "chain saw": "4",
        "church": "5",
        "French horn": "6",
        "garbage truck": "7",
        "gas pump": "8",
        "golf ball": "9",
        "parachute": "10",
    },
    "measure": {"Logit": "logit", "Probability": "probability"},
    "vasks": {"Every position": "all", "CLS": "cls"},
    # pages/vision and pages/positions
    "change": {
        "Set to 0": "none",
        "Shuffled": "shuffled",
        "Reversed": "reversed",
        "Shifted": "shifted",
        "Shuffle": "shuffle",
        "No positions": "no-positions",
        "Both": "both",
    },
    # compare
    "b": {"Same sentence, changed": "changed", "Another sentence": "other"},
    "reads": {"Its own translation": "own", "The translation of A": "a"},
    **{f"{kind}mask": {"No causal mask": "none", "Window": "window", "Forbid pieces": "forbid"} for kind in _KINDS},
    **{f"{kind}asks": {"every query": "every"} for kind in _KINDS},
    # masks
    "masks": {"Your sentence": "your-sentence", "Causality": "causality", "Padding": "padding"},
    "mask": {"Causal": "causal", "None": "none", "Window": "window", "Prefix": "prefix"},
    # attribution
    "erase": {"Deleting it": "delete", "Hiding it": "mask"},
    "method_shown": {
        "Cross-attention, last layer": "last-layer",
        "Cross-attention, all layers": "all-layers",
        "Value-weighted attention": "value-weighted",
        "Rollout": "rollout",
        "Gradient relevance": "gradient",
    },
    "numbers": {"Each row by its largest": "by-largest", "As they are": "as-they-are"},
    # positions
    "facet": {
        "Table and curves": "table",
        "Wavelengths": "wavelengths",
        "Why sinusoids": "why-sinusoids",
        "Similarity": "similarity",
        "Rotation": "rotation",
        "Orthogonality": "orthogonality",
        "A basis": "basis",
        "In the trained model": "trained-model",
    },
    "form": {"Paper": "paper", "Column index": "column"},
    "curve": {"square wave": "square-wave", "one position": "one-position"},
    "basis": {"Columns of the encoding": "columns", "Harmonics of the length": "harmonics"},
    "where": {"Encoder": "encoder", "Decoder": "decoder", "Both": "both"},
    # tokens
    # attention viewer
    "look": {"Maps": "maps", "Lines": "lines", "One weight": "one-weight"},
    "units": {"Pieces": "tokens", "Whole words": "words"},
    "marks": {"Shown": "shown", "Hidden": "hidden"},
    **{f"{kind}_key_piece": {"the strongest": "strongest", "CLS": "cls"} for kind in _KINDS},
    "vision_query_piece": {"CLS": "cls"},
    # head ranking
    "of": {"All": "all", "Encoder": "encoder", "Decoder": "decoder", "Cross": "cross"},
    **dict.fromkeys(("sort", "vsort"), {"Effect": "effect", "Label": "label", "Place": "place"}),
    **dict.fromkeys(("shown", "vshown"), {"first in the list": "first"}),
    # changes of heads
    **dict.fromkeys(
        ("do", "vdo"),
        {"Switch off": "ablate", "Scale": "scale", "Sharpen": "sharpen", "Mask": "mask", "Force a look": "one-hot"},
    ),
}

_NUMBERED = re.compile(r"([0-9]+) .*", re.DOTALL), r"\1"  # the place of a token, and the token
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
    # attribution
    "target_word": (_NUMBERED,),
    # tokens
    "near": (_NUMBERED,),
    "piece": (_NUMBERED,),
}


def today(query: Mapping[str, Raw]) -> dict[str, Raw]:
    """The same address with today's values."""
    return {name: tuple(_value(name, value) for value in raw) for name, raw in query.items()}


def _value(name: str, value: str) -> str:
    if (id := VALUES.get(name, {}).get(value)) is not None:
        return id
    for pattern, id in PATTERNS.get(name, ()):
        if match := pattern.fullmatch(value):
            return match.expand(id)
    return value
