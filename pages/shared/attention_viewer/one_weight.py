"""One weight: the query's and the key's numbers, their products, the score and the softmax that it comes from."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneSoftmax, OneWeight, one_softmax, one_weight
from pages.shared import checks, files
from pages.shared.attention_viewer.subject import Subject
from pages.shared.texts import caption, paragraph
from views.controls import inputs, widgets
from views.html import bars, steps
from views.text import literal, terms
from views.text.catalogue import Message, Name, say, say_count
from views.text.numbers import three_digits

STRONGEST = "strongest"


def show(subject: Subject) -> None:
    """Choose a head, a query and a key; follow the weight."""
    layers, heads = subject.layers[:-1], subject.heads[:-1]
    queries, keys = (
        dict(zip(_ids(subject, side), map(Name, subject.kind.names(subject.tokens[side])), strict=True))
        for side in (0, 1)
    )
    first = list(queries)[0 if subject.kind.places else -1]  # CLS, or the token that was read last
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads)
        asked = widgets.select(say("one-weight.query", "Query"), queries, f"{subject.kind.name}_query_piece", first)
        strongest = {STRONGEST: say("one-weight.strongest", "the strongest")}
        chosen = widgets.select(say("one-weight.key", "Key"), strongest | keys, f"{subject.kind.name}_key_piece")
    query, shown = list(queries).index(asked), subject.kind.names(subject.tokens[1])
    place = layers.index(layer), int(head) - 1, query
    key = int(subject.record.weights[place].argmax()) if chosen == STRONGEST else list(keys).index(chosen)
    taken_apart = getattr(subject.record, "forms", None) != ()  # of some opened models scores are all that is seen
    one = (one_weight if taken_apart else one_softmax)(subject.record, *place, key)
    said = {"query": _name(subject, 0, query), "key": _name(subject, 1, key)}
    said |= {"exponential": one.exponentials[one.place], "total": one.total, "score": one.score, "weight": one.weight}
    st.html(bars.STYLE)
    _explained(one, said, later=subject.kind.causal and key > query)
    products, softmax = st.columns(2, gap="large")
    with products:
        if isinstance(one, OneWeight):
            paragraph("attention_viewer", "products")
            st.html(products_table(one, subject.kind.name))
        else:
            paragraph("attention_viewer", "no-products")
    with softmax:
        paragraph("attention_viewer", "softmax")
        st.html(softmax_table(one, subject.kind.name, shown))
    if getattr(subject.record, "half", False):
        difference = checks.said("half attention", one.difference)
    else:
        difference = checks.said("one weight", one.difference)
    from_what = "check-of-a-weight" if isinstance(one, OneWeight) else "check-of-a-softmax"
    caption("attention_viewer", from_what, difference=difference)
    with st.container(horizontal=True):
        if isinstance(one, OneWeight):
            sums = zip(one.query, one.key, one.products, np.cumsum(one.products), strict=True)
            rows = [[place, *map(float, line)] for place, line in enumerate(sums, 1)]
            header = [_DIMENSION(), terms.QUERY(), terms.KEY(), say("column.product", "product"), _SUM()]
            files.csv(header, rows, "weight", say("one-weight.csv", "This weight as CSV"))
        softmax_of = zip(shown, one.scores, one.exponentials, one.weights, strict=True)
        rows = [[name, *map(float, line)] for name, *line in softmax_of]
        header = [terms.KEY(), _SCORE(), say("column.exponential", "exponential"), terms.WEIGHT()]
        files.csv(header, rows, "softmax", say("one-weight.softmax.csv", "Its softmax as CSV"))


def _explained(one: OneSoftmax, said: Mapping[str, object], *, later: bool) -> None:
    """The weight in a sentence. `later` keys are hidden by a causal mask."""
    if not isinstance(one, OneWeight):
        paragraph("attention_viewer", "masked-weight-of-a-score" if one.masked else "weight-of-a-score", **said)
        return
    said = {**said, "d_k": one.d_k, "root": one.d_k**0.5, "product": one.product}
    if one.masked:
        paragraph("attention_viewer", "masked-weight" if later else "hidden-weight", **said)
        return
    if one.form.plain(one.d_k):
        paragraph("attention_viewer", "one-weight", **said)
        return
    paragraph("attention_viewer", "weight-of-a-form", **said, scaling=one.form.scaling, added=one.added)
    if one.sink:
        paragraph("attention_viewer", "weight-beside-a-sink", sink=one.sink)


def _ids(subject: Subject, side: int) -> list[str]:
    """What the address calls the queries (side 0) or keys (side 1): a token its place, a patch its row and column."""
    count = len(subject.tokens[side])
    if subject.grid is None:
        return [str(place + 1) for place in range(count)]
    patches = [f"{row + 1}-{column + 1}" for row, column in np.ndindex(*subject.grid)]
    leading = count - len(patches)
    return ["cls", *(f"register-{number}" for number in range(1, leading))][:leading] + patches


def _name(subject: Subject, side: int, place: int) -> str:
    """A query (side 0) or key (side 1) for a sentence, as Markdown: a token in quotes with its number."""
    label = subject.tokens[side][place]
    if subject.kind.places:
        return f"**{literal.markdown(label)}**"
    return f"**\u201c{literal.markdown(literal.token(label))}\u201d** ({place + 1})"


MOST_KEYS = 40  # rows of the softmax's table; the weakest keys beyond are summed up
_DIMENSION, _SUM = Message("column.dimension", "dimension"), Message("column.sum", "sum")
_SCORE = Message("column.score", "score")


def products_table(one: OneWeight, kind: str) -> str:
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
            float(total),
        ]
        for place, total in zip(order, sums, strict=True)
    ]
    product, so_far = say("one-weight.product", "query \u00d7 key"), say("one-weight.sum-so-far", "sum so far")
    header = [_DIMENSION(), terms.QUERY(), terms.KEY(), product, so_far]
    return bars.table(header, lines, say("one-weight.products", "Products of a weight"), whole=True)


def softmax_table(one: OneSoftmax, kind: str, key_names: list[str]) -> str:
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
        total = three_digits(float(one.exponentials[left].sum()))
        lines.append([rest, "", total, bars.bar(float(one.weights[left].sum()), 1, kind)])
    if one.sink:
        share = bars.bar(one.sink / one.total, 1, kind)
        lines.append([say("one-weight.sink", "attention sink"), "", three_digits(one.sink), share])
    total = three_digits(one.total)
    lines.append([_SUM(), "", total, bars.bar(float(one.weights.sum()) + one.sink / one.total, 1, kind)])
    exponential = say("one-weight.exponential", "e^(score \u2212 largest)")
    header = [terms.KEY(), _SCORE(), exponential, terms.WEIGHT()]
    return bars.table(header, lines, say("one-weight.softmax", "Softmax over all keys"), marked=shown.index(one.place))
