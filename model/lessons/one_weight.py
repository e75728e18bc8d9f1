"""One attention weight, from the query's and the key's vectors to the number on the map."""

import math
from dataclasses import dataclass

import numpy as np

from model.runtime.arrays import furthest
from model.tracing.trace import AttentionRecord


@dataclass(frozen=True, eq=False)
class OneWeight:
    """How a single weight comes about (Vaswani et al. 2017, section 3.2.1); everything in float64."""

    # `(d_k,)`, as recorded
    query: np.ndarray
    key: np.ndarray
    products: np.ndarray  # `(d_k,)` query times key, number by number; they sum to `product`
    product: float  # the dot product
    d_k: int  # numbers in each vector; the product is divided by its square root
    scores: np.ndarray  # `(key,)` of this query with every key; minus infinity where masked
    exponentials: np.ndarray  # `(key,)` e to the power of each score minus the largest one, so the largest is 1
    weights: np.ndarray  # `(key,)` each exponential divided by their sum
    place: int  # which key it is about
    difference: float  # largest |difference| of the scores and weights from the recorded ones

    @property
    def score(self) -> float:
        """The product divided by the square root of d_k, before the mask."""
        return self.product / math.sqrt(self.d_k)

    @property
    def weight(self) -> float:
        """The weight itself."""
        return float(self.weights[self.place])

    @property
    def masked(self) -> bool:
        """True where the mask hides this key from this query."""
        return bool(np.isneginf(self.scores[self.place]))


def one_weight(record: AttentionRecord, layer: int, head: int, query: int, key: int) -> OneWeight:
    """Compute one weight again from what was recorded; all places count from 0.

    Raises:
        IndexError: there is no such layer, head, query or key.
    """
    places = {"layer": layer, "head": head, "query": query, "key": key}
    for (name, place), count in zip(places.items(), record.weights.shape, strict=True):
        if not 0 <= place < count:
            raise IndexError(f"{name} {place} does not exist; there are {count}.")
    asking = record.queries[layer, head, query].astype(np.float64)
    keys = record.keys[layer, head].astype(np.float64)  # (key, d_k)
    products = asking * keys[key]
    raw = keys @ asking / math.sqrt(len(asking))  # (key,)
    scores = raw if record.allowed is None else np.where(record.allowed[query], raw, -np.inf)
    exponentials = np.exp(scores - scores.max())
    weights = exponentials / exponentials.sum()
    recorded = record.scores[layer, head, query], record.weights[layer, head, query]
    difference = max(map(furthest, (raw, weights), recorded))
    return OneWeight(
        asking, keys[key], products, float(products.sum()), len(asking), scores, exponentials, weights, key, difference
    )
