"""One attention weight taken apart: the products of its query and key, their score, and the softmax over all keys.

The queries and keys of all heads travel, so that the browser takes another weight apart with no trip to the server, in
double precision and by the formulas of `model/lessons/one_weight.py`. Where they are too many, those of the chosen head
travel alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..text.catalogue import Message, say_count
from . import component, controls

STRONGEST = "strongest"  # the option that stands for the key with the largest weight
MOST_KEYS = 40  # rows of the softmax's table; the weakest keys beyond are summed up

DIMENSION, SUM = Message("column.dimension", "dimension"), Message("column.sum", "sum")
SCORE, PRODUCT = Message("column.score", "score"), Message("column.product", "product")
EXPONENTIAL = Message("column.exponential", "exponential")
WORDS = controls.WORDS | {
    "products": Message("one-weight.products", "Products of a weight"),
    "softmax": Message("one-weight.softmax", "Softmax over all keys"),
    "dimension": DIMENSION,
    "query": terms.QUERY,
    "key": terms.KEY,
    "product": Message("one-weight.product", "query \u00d7 key"),
    "soFar": Message("one-weight.sum-so-far", "sum so far"),
    "score": SCORE,
    "exponential": Message("one-weight.exponential", "e^(score \u2212 largest)"),
    "weight": terms.WEIGHT,
    "masked": terms.MASKED,
    "sink": Message("one-weight.sink", "attention sink"),
    "sum": SUM,
}

_MOUNT = component.Component("one_weight", "one-weight")


@dataclass(frozen=True, eq=False)
class ScoreFormFields:
    """How products become the scores of one layer; the fields of `model.lessons.one_weight.ScoreForm`, as plain values.

    Attributes:
        scaling: factor of the product.
        plain: it is the usual one, and nothing else is done.
        softcap: 0 where there is none.
        biased: the recorded scores are taken, as something was added to them.
        sinks: the score of the sink of each head; empty where there is none.
        allowed: which of the masks hides keys in this layer; -1 where none does.
    """

    scaling: float
    plain: bool
    softcap: float
    biased: bool
    sinks: Sequence[float]
    allowed: int


@dataclass(frozen=True, eq=False)
class WeightsApart:
    """Everything from which a weight of one kind can be taken apart.

    Attributes:
        kind: of attention; decides the hue.
        causal: keys behind the query are not generated yet.
        places: queries and keys are places of a picture.
        labels: of queries and of keys, as tables show them.
        pair: names of the choices of its query and of its key, which are places but for `STRONGEST`.
        names: of all layers and heads.
        heads: names of the layers and heads that travel.
        texts: what is said of a weight, by the case that it is; places in braces stand for its numbers.
        queries: `(layer, head, query, d_k)`; None where they were not seen.
        keys: `(layer, group, key, d_k)`; several heads may share a group's.
        scores: `(layer, head, query, key)` where a layer's are to be taken as they were recorded.
        forms: of each layer; empty where queries and keys were not seen.
        masks: `(query, key)` bool, True where a key is seen.
    """

    kind: str
    causal: bool
    places: bool
    labels: tuple[Sequence[str], Sequence[str]]
    pair: Sequence[str]
    names: tuple[Sequence[str], Sequence[str]]
    heads: tuple[Sequence[str], Sequence[str]]
    texts: Mapping[str, str]
    queries: np.ndarray | None
    keys: np.ndarray | None
    scores: np.ndarray | None
    forms: Sequence[ScoreFormFields]
    masks: Sequence[np.ndarray]


@dataclass(frozen=True, eq=False)
class WeightsOfKinds:
    """The weights of several kinds of attention, among which the browser chooses.

    Attributes:
        kinds: by name; kinds that are not there the server sends when they are chosen.
        choices, chosen: what a person chooses among "kind", "layer", "head" and each kind's pair, and what is chosen.
    """

    kinds: Mapping[str, WeightsApart]
    choices: Sequence[Choice]
    chosen: Mapping[str, str]


def payload(shown: WeightsOfKinds, theme: palette.Theme) -> bytes:
    """The bytes that `one_weight.js` reads: of each kind float32, then a byte for each cell of a mask."""
    counts = {len(apart.labels[1]) for apart in shown.kinds.values()}
    # one less is left out where the chosen key is not among the strongest
    left = {each for count in counts for each in (count - MOST_KEYS, count - MOST_KEYS - 1) if each > 0}
    rest = {each: say_count("one-weight.rest", "{count} weaker key", "{count} weaker keys", each) for each in left}
    header = {
        "theme": theme,
        "controls": controls.control_specs(shown.choices),
        "kinds": {name: _kind_header(apart) for name, apart in shown.kinds.items()},
        "most": MOST_KEYS,
        "rest": rest,
        "words": component.translated(WORDS),
    }
    arrays = []
    for apart in shown.kinds.values():
        numbers = (apart.queries, apart.keys, apart.scores)
        arrays += [each.astype("<f4") for each in numbers if each is not None]
        arrays += [mask.astype(np.uint8) for mask in apart.masks]
    return component.pack(header, *arrays)  # the script copies each, so that all of them are aligned


def _kind_header(apart: WeightsApart) -> dict[str, object]:
    return component.header_fields(
        apart,
        labels=[component.labels(labels) for labels in apart.labels],
        masks=len(apart.masks),
        hues=palette.signed_hues(apart.kind),
    )


def one_weight(shown: WeightsOfKinds, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount it; `on_choose` gets what is chosen of each choice, a moment after the last one."""
    chosen = partial(controls.valid_selection, choices=shown.choices), on_choose
    _MOUNT(key, payload(shown, sentence_input.theme()), dict(shown.chosen), chosen=chosen)
