"""Recompute one attention weight from the vectors of its query and key."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..runtime.arrays import largest_difference
from ..tracing.trace import AttentionRecord


@dataclass(frozen=True, eq=False)
class ScoreForm:
    """How the product of a query and a key becomes a score in one layer, and the sink in its softmax."""

    scaling: float
    """Factor of the product."""
    softcap: float | None = None
    """Scores are softcap * tanh(score / softcap), or None."""
    biased: bool = False
    """Whether a bias that depends on the positions of query and key is added to the scores."""
    sinks: np.ndarray | None = None
    """`(head,)` score of an attention sink, or None."""
    allowed: np.ndarray | None = None
    """`(query, key)` bool, visible by the layer's mask; None where nothing is masked."""

    def plain(self, d_k: int) -> bool:
        """Whether the score is q k / sqrt(d_k) and nothing else (Vaswani et al. 2017, equation 1)."""
        usual = math.isclose(self.scaling, d_k**-0.5, rel_tol=1e-6)
        return usual and self.softcap is None and not self.biased and self.sinks is None

    def of_head(self, head: int) -> "ScoreForm":
        """The form of one head alone."""
        return self if self.sinks is None else replace(self, sinks=self.sinks[head : head + 1])


@dataclass(frozen=True, eq=False, kw_only=True)
class OneSoftmax:
    """A single weight from the scores of its query; everything in float64."""

    scores: np.ndarray  # `(key,)` of this query with every key; minus infinity where masked
    exponentials: np.ndarray  # `(key,)` e to the power of each score minus the largest one, so the largest is 1
    weights: np.ndarray  # `(key,)` each exponential divided by their sum
    place: int  # index of the key
    difference: float  # largest |difference| of the scores and weights from the recorded ones
    score: float  # of this key, before the mask
    sink: float = 0.0  # exponential of the sink, added to the sum over the keys

    @property
    def total(self) -> float:
        """Denominator of the softmax."""
        return float(self.exponentials.sum()) + self.sink

    @property
    def weight(self) -> float:
        """The weight itself."""
        return float(self.weights[self.place])

    @property
    def masked(self) -> bool:
        """True where this key is masked for this query."""
        return bool(np.isneginf(self.scores[self.place]))


@dataclass(frozen=True, eq=False, kw_only=True)
class OneWeight(OneSoftmax):
    """A single weight from the query and the key themselves (Vaswani et al. 2017, section 3.2.1)."""

    # `(d_k,)`, as recorded
    query: np.ndarray
    key: np.ndarray
    products: np.ndarray  # `(d_k,)` query times key, number by number; they sum to `product`
    product: float  # the dot product
    d_k: int  # numbers in each vector; the product is divided by its square root
    form: ScoreForm  # how the product becomes the score

    @property
    def added(self) -> float:
        """Difference between the score and the scaled product."""
        return self.score - self.product * self.form.scaling


def score_forms(record: AttentionRecord) -> tuple[ScoreForm, ...]:
    """Return the form of every layer's scores; empty where an opened model shows no products of queries and keys."""
    forms = getattr(record, "forms", None)
    if forms is None:  # of the project's own networks
        form = ScoreForm(record.queries.shape[-1] ** -0.5, biased=record.bias is not None, allowed=record.allowed)
        return (form,) * len(record.weights)
    return forms


def recompute_softmax(record: AttentionRecord, layer: int, head: int, query: int, key: int) -> OneSoftmax:
    """Recompute one weight from the recorded scores, of a network whose queries and keys are not recorded.

    Raises:
        IndexError: there is no such layer, head, query or key.
    """
    _check(record, layer, head, query, key)
    raw = record.scores[layer, head, query].astype(np.float64)  # (key,); with the mask added
    scores = np.where(raw < np.finfo(np.float32).min / 2, -np.inf, raw)
    exponentials = np.exp(scores - scores.max())
    weights = exponentials / exponentials.sum()
    difference = largest_difference(weights, record.weights[layer, head, query])
    return OneSoftmax(
        scores=scores,
        exponentials=exponentials,
        weights=weights,
        place=key,
        difference=difference,
        score=float(scores[key]),
    )


def recompute_weight(record: AttentionRecord, layer: int, head: int, query: int, key: int) -> OneWeight:
    """Recompute one weight from the recorded queries and keys; all indices count from 0.

    Raises:
        IndexError: there is no such layer, head, query or key.
    """
    _check(record, layer, head, query, key)
    query_vector = record.queries[layer, head, query].astype(np.float64)
    group = head * record.keys.shape[1] // record.weights.shape[1]  # several heads may share their keys
    keys = record.keys[layer, group].astype(np.float64)  # (key, d_k)
    products = query_vector * keys[key]
    form = score_forms(record)[layer]
    raw = keys @ query_vector * form.scaling  # (key,)
    if form.softcap is not None:
        raw = np.tanh(raw / form.softcap) * form.softcap
    if form.biased:  # the bias is not recorded separately
        raw = record.scores[layer, head, query].astype(np.float64)
    scores = raw if form.allowed is None else np.where(form.allowed[query], raw, -np.inf)
    exponentials = np.exp(scores - scores.max())
    sink = 0.0 if form.sinks is None else float(np.exp(form.sinks[head] - scores.max()))
    weights = exponentials / (exponentials.sum() + sink)
    recorded = record.scores[layer, head, query], record.weights[layer, head, query]
    difference = max(map(largest_difference, (raw, weights), recorded))
    return OneWeight(
        scores=scores,
        exponentials=exponentials,
        weights=weights,
        place=key,
        difference=difference,
        score=float(raw[key]),
        sink=sink,
        query=query_vector,
        key=keys[key],
        products=products,
        product=float(products.sum()),
        d_k=len(query_vector),
        form=form,
    )


def _check(record: AttentionRecord, *places: int) -> None:
    named = zip(("layer", "head", "query", "key"), places, record.weights.shape, strict=True)
    for name, place, count in named:
        if not 0 <= place < count:
            raise IndexError(f"{name} {place} does not exist; there are {count}.")
