"""One attention weight step by step: the products of its query and key, their score, and the softmax over all keys.

The payload contains the queries and keys of all heads, so that the browser computes another weight without the server,
in double precision and by the formulas of `model/lessons/one_weight.py`. If there are too many, it contains only those
of the selected head.
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
from ..viewer.payload import pack
from . import component, controls

STRONGEST = "strongest"  # the option for the key with the largest weight
MOST_KEYS = 40  # rows of the softmax table; weaker keys are summed up

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
    """How products become the scores of one layer: fields of `model.lessons.one_weight.ScoreForm`, as plain values."""

    scaling: float  # factor of the product
    plain: bool  # the factor is 1 over the root of d_k, and there is nothing else
    softcap: float  # 0 if there is none
    biased: bool  # something was added to the scores, so that the recorded ones are shown
    sinks: Sequence[float]  # the score of the sink of each head; empty if there is none
    allowed: int  # index of the mask that hides keys in this layer; -1 if none does


@dataclass(frozen=True, eq=False)
class WeightSteps:
    """Everything from which the weights of one kind can be computed step by step."""

    kind: str  # of attention; decides the hue
    causal: bool  # keys behind the query are not generated yet
    places: bool  # queries and keys are positions in a picture
    languages: tuple[str, str]  # of the tokens of queries and of keys; empty where unknown
    labels: tuple[Sequence[str], Sequence[str]]  # of queries and of keys, as tables show them
    pair: Sequence[str]  # names of the choices of query and key, whose options are positions and `STRONGEST`
    names: tuple[Sequence[str], Sequence[str]]  # of all layers and heads
    heads: tuple[Sequence[str], Sequence[str]]  # names of the layers and heads in the payload
    texts: Mapping[str, str]  # explanations of a weight, by case; placeholders stand for its numbers
    queries: np.ndarray | None  # `(layer, head, query, d_k)`; None if they were not recorded
    keys: np.ndarray | None  # `(layer, group, key, d_k)`; several heads may share a group's
    scores: np.ndarray | None  # `(layer, head, query, key)` if a layer's recorded scores are shown
    forms: Sequence[ScoreFormFields]  # of each layer; empty if queries and keys were not recorded
    masks: Sequence[np.ndarray]  # `(query, key)` bool, True where the query may attend to the key


@dataclass(frozen=True, eq=False)
class WeightsOfKinds:
    """The weights of several kinds of attention, among which the browser chooses."""

    kinds: Mapping[str, WeightSteps]  # by name; the server sends a missing kind once it is selected
    # `choices`, `chosen`: some of "kind", "layer", "head" and each kind's pair, and the selected option of each
    choices: Sequence[Choice]
    chosen: Mapping[str, str]


def payload(weights: WeightsOfKinds, theme: palette.Theme) -> bytes:
    """The bytes that the script reads: of each kind float32, and a byte for each cell of a mask."""
    counts = {len(steps.labels[1]) for steps in weights.kinds.values()}
    # one less is left out if the selected key is not among the strongest
    left_out = {number for count in counts for number in (count - MOST_KEYS, count - MOST_KEYS - 1) if number > 0}
    rest = {
        number: say_count("one-weight.rest", "{count} weaker key", "{count} weaker keys", number) for number in left_out
    }
    header = {
        "theme": theme,
        "controls": controls.control_specs(weights.choices),
        "kinds": {name: _kind_header(steps) for name, steps in weights.kinds.items()},
        "most": MOST_KEYS,
        "rest": rest,
        "words": component.translated(WORDS),
    }
    arrays: dict[str, np.ndarray | None] = {}
    for name, steps in weights.kinds.items():
        arrays |= {f"{name} {field}": getattr(steps, field) for field in ("queries", "keys", "scores")}
        arrays |= {f"{name} mask {index}": mask for index, mask in enumerate(steps.masks)}
    return pack(header, arrays)


def _kind_header(steps: WeightSteps) -> dict[str, object]:
    return component.header_fields(
        steps,
        labels=[component.labels(labels) for labels in steps.labels],
        masks=len(steps.masks),
        hues=palette.signed_hues(steps.kind),
    )


def one_weight(weights: WeightsOfKinds, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount it; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=weights.choices), on_choose
    _MOUNT(key, payload(weights, sentence_input.theme()), dict(weights.chosen), chosen=handler)
