"""The numbers behind one weight as tables and as files: the products of query and key, and the softmax."""

from __future__ import annotations

import numpy as np

from model.lessons.one_weight import OneWeight
from views.export import downloads
from views.html import bars, steps
from views.text import terms
from views.text.catalogue import Message, say, say_count
from views.text.numbers import three_digits

MOST_KEYS = 40  # rows of the softmax's table; the weakest keys beyond are summed up
_DIMENSION, _SUM = Message("column.dimension", "dimension"), Message("column.sum", "sum")
_SCORE = Message("column.score", "score")


def products(one: OneWeight, kind: str) -> str:
    """A row a dimension, the largest products first, with the sum so far; the last sum is the dot product."""
    order = np.argsort(-np.abs(one.products), kind="stable")
    sums = np.cumsum(one.products[order])
    most = float(np.abs(one.products).max())
    lines = [
        [
            int(place) + 1,
            float(one.query[place]),
            float(one.key[place]),
            bars.bar(float(one.products[place]), most, kind),
        ]
        + [float(total)]
        for place, total in zip(order, sums, strict=True)
    ]
    product, sums = say("one-weight.product", "query \u00d7 key"), say("one-weight.sum-so-far", "sum so far")
    header = [_DIMENSION(), terms.QUERY(), terms.KEY(), product, sums]
    return bars.table(header, lines, say("one-weight.products", "Products of a weight"), whole=True)


def softmax(one: OneWeight, kind: str, key_names: list[str]) -> str:
    """A row a key: score, exponential, weight."""
    order = np.argsort(-one.weights, kind="stable")
    shown = sorted({*order[:MOST_KEYS].tolist(), one.place})
    lines: list[list[bars.Value]] = [
        [
            steps.plain(key_names[place]),
            terms.MASKED() if np.isneginf(one.scores[place]) else three_digits(float(one.scores[place])),
            three_digits(float(one.exponentials[place])),
            bars.bar(float(one.weights[place]), 1, kind),
        ]
        for place in shown
    ]
    left = np.setdiff1d(np.arange(len(key_names)), shown)
    if len(left):
        rest = say_count("one-weight.rest", "{count} weaker key", "{count} weaker keys", len(left))
        lines.append(
            [
                rest,
                "",
                three_digits(float(one.exponentials[left].sum())),
                bars.bar(float(one.weights[left].sum()), 1, kind),
            ]
        )
    total = three_digits(float(one.exponentials.sum()))
    lines.append([_SUM(), "", total, bars.bar(float(one.weights.sum()), 1, kind)])
    exponential = say("one-weight.exponential", "e^(score \u2212 largest)")
    header = [terms.KEY(), _SCORE(), exponential, terms.WEIGHT()]
    return bars.table(header, lines, say("one-weight.softmax", "Softmax over all keys"), marked=shown.index(one.place))


def products_csv(one: OneWeight) -> bytes:
    columns = zip(one.query, one.key, one.products, np.cumsum(one.products), strict=True)
    lines = ([place + 1, *map(float, line)] for place, line in enumerate(columns))
    return downloads.table_csv(
        [_DIMENSION(), terms.QUERY(), terms.KEY(), say("column.product", "product"), _SUM()], lines
    )


def softmax_csv(one: OneWeight, key_names: list[str]) -> bytes:
    columns = zip(key_names, one.scores, one.exponentials, one.weights, strict=True)
    lines = ([name, *map(float, line)] for name, *line in columns)
    return downloads.table_csv([terms.KEY(), _SCORE(), say("column.exponential", "exponential"), terms.WEIGHT()], lines)
