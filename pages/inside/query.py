"""One query against all keys: dot products, weights, and the weighted mean of the values."""

import numpy as np
import streamlit as st

from model.lessons.layer_steps import AttentionSteps
from pages.inside.chosen_head import ChosenHead, choose_head
from pages.shared import checks, files
from pages.shared.coreference_example import render_coreference
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check, paragraph
from views import map_labels
from views.controls import sentence_input, widgets
from views.html import bars
from views.text import literal, terms
from views.text.catalogue import say

WORD = "it"  # the pronoun of the first example


@fragment
def render(request: Request) -> None:
    """Choose a query and show its attention. A choice reruns only this section."""
    with st.container(horizontal=True, gap="medium"):
        chosen = choose_head(request)
        queries, keys = chosen.axes
        words = [literal.token(token) for token in queries]
        first = words.index(WORD) if WORD in words else len(words) // 2
        label, key = say("inside.query-place", "Query at place"), f"{chosen.kind.name}_query"
        place = int(widgets.number(label, key, first + 1, 1, len(words), varies=True)) - 1
    steps = chosen.steps()
    token = literal.markdown(words[place])
    paragraph("inside", f"query-of-{chosen.kind.name}", token=token, place=chosen.label)
    render_coreference(request, chosen.trace.target_text)
    weights = steps.weights[place]  # (key,)
    best, open_keys = int(weights.argmax()), int(np.isfinite(steps.masked_scores[place]).sum())
    result = {"query": token, "key": token_value(keys[best]), "weight": float(weights[best]), "keys": open_keys}
    result |= {"even": 1 / open_keys}
    render_experiment("inside-one-query", {key: len(words)}, result if place == len(words) - 1 else None)
    render_table(chosen, steps, place, map_labels.numbered(keys), words[place])


def render_table(chosen: ChosenHead, steps: AttentionSteps, place: int, names: list[str], word: str) -> None:
    """Show a row for each key, and the weighted mean below them."""
    one_query = steps.one_query(place)
    theme, kind = sentence_input.theme(), chosen.kind.name
    tops = {name: float(np.abs(getattr(steps, name)).max()) for name in ("queries", "keys", "values")}
    tops["weighted"] = max(float(np.abs(one_query.weighted).max()), float(np.abs(one_query.mean).max()))
    strip = lambda vector, side, name: bars.strip_cell(vector, tops[side], kind, theme, name)  # noqa: E731
    key_rows: list[list[bars.Value]] = [
        [
            bars.data_cell(name, "token", chosen.kind.languages[1]),
            strip(steps.keys[at], "keys", terms.KEY()),
            float(one_query.products[at]),
            float(one_query.scores[at]) if np.isfinite(one_query.scores[at]) else "\u2212\u221e",
            bars.bar_cell(float(one_query.weights[at]), 1, kind),
            strip(steps.values[at], "values", say("inside.vector.value", "value")),
            strip(one_query.weighted[at], "weighted", say("inside.vector.weighted", "weight times value")),
        ]
        for at, name in enumerate(names)
    ]
    header = [
        terms.KEY(),
        say("inside.column.key", "its key vector"),
        "q \u00b7 k",
        say("column.score", "score"),
        say("column.weight", "weight"),
        say("inside.column.value", "its value vector"),
        say("inside.column.weighted", "weight \u00d7 value"),
    ]
    name = say("inside.query.token", "query {token}", token=word)
    query = strip(steps.queries[place], "queries", terms.QUERY())
    mean = strip(one_query.mean, "weighted", say("inside.vector.mean", "mean"))
    total = bars.bar_cell(float(one_query.weights.sum()), 1, kind)
    rows: list[list[bars.Value]] = [
        [name, query, *[""] * 5],
        *key_rows,
        [say("inside.query.sum", "sum"), *[""] * 3, total, "", mean],
    ]
    st.html(bars.table(header, rows, say("inside.query.table", "One query against all keys"), marked=0))
    difference = checks.format_difference("one query", one_query.difference)
    fold_check("inside", "check-query", d_k=steps.queries.shape[1], difference=difference)
    arrays = {"query": steps.queries[place], "keys": steps.keys, "values": steps.values}
    arrays |= {name: getattr(one_query, name) for name in ("products", "scores", "weights", "mean")}
    files.npz("query", arrays, say("inside.query.npz", "This query as NPZ"))
