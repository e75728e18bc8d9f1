"""One query against all keys: dot products, weights, and the weighted mean of the values."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.layer_steps import AttentionSteps
from pages.inside.chosen import Chosen, choose
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.controls import inputs, widgets
from views.export import downloads
from views.html import bars
from views.html.strip import strip
from views.text import literal, prose

WORD = "it"  # the token of the first example that everybody asks about


@fragment
def show(request: Request) -> None:
    """Choose a query, follow it. Choosing runs only this part again."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose(request)
        queries, keys = chosen.axes
        words = [literal.token(token) for token in queries]
        first = words.index(WORD) if WORD in words else len(words) // 2
        place = (
            int(widgets.number("Query at place", f"{chosen.kind.name}_query", first + 1, 1, len(words), varies=True))
            - 1
        )
    steps = chosen.steps()
    whose = prose.block("inside", f"Who asks: {chosen.kind.name}")
    st.markdown(f"**{literal.markdown(words[place])}** asks in {chosen.place}. {whose}")
    table(chosen, steps, place, maps.numbered(keys), words[place])


def table(chosen: Chosen, steps: AttentionSteps, place: int, names: list[str], word: str) -> None:
    """A row a key, and the weighted mean below them."""
    one = steps.one_query(place)
    theme, kind = inputs.theme(), chosen.kind.name
    tops = {name: float(np.abs(getattr(steps, name)).max()) for name in ("queries", "keys", "values")}

    tops["weighted"] = max(float(np.abs(one.weighted).max()), float(np.abs(one.mean).max()))

    def drawn(vector: np.ndarray, side: str, name: str) -> bars.Cell:
        return strip(vector, tops[side], kind, theme, name)

    lines: list[list[bars.Value]] = [
        [
            name,
            drawn(steps.keys[at], "keys", "key"),
            float(one.products[at]),
            float(one.scores[at]) if np.isfinite(one.scores[at]) else "\u2212\u221e",
            bars.bar(float(one.weights[at]), 1, kind),
            drawn(steps.values[at], "values", "value"),
            drawn(one.weighted[at], "weighted", "weight times value"),
        ]
        for at, name in enumerate(names)
    ]
    header = ["key", "its key vector", "q \u00b7 k", "score", "weight", "its value vector", "weight \u00d7 value"]
    asks = ["", drawn(steps.queries[place], "queries", "query"), "", "", "", "", ""]
    result = ["sum", "", "", "", bars.bar(float(one.weights.sum()), 1, kind), "", drawn(one.mean, "weighted", "mean")]
    asks[0] = f"query {word}"
    st.html(bars.table(header, [asks, *lines, result], "One query against all keys", marked=0))
    d_k = steps.queries.shape[1]
    st.caption(
        prose.block("inside", "Proof of a query").format(d_k=d_k, difference=checks.said("one query", one.difference))
    )
    files.download(
        "This query as NPZ",
        lambda: downloads.arrays_npz(
            query=steps.queries[place],
            keys=steps.keys,
            values=steps.values,
            products=one.products,
            scores=one.scores,
            weights=one.weights,
            mean=one.mean,
        ),
        "query.npz",
    )
