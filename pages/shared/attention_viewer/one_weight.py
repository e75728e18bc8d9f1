"""One weight: the query's and the key's numbers, their products, the score and the softmax that it comes from."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneWeight, ScoreForm, one_softmax, one_weight
from pages.shared import checks, files
from pages.shared.attention_viewer.subject import Subject
from pages.shared.texts import block, caption
from views.components import choices
from views.components import one_weight as taken_apart
from views.controls import inputs
from views.controls.widgets import Choice
from views.text import terms
from views.text.catalogue import Name, say

STRONGEST = taken_apart.STRONGEST
# What is said of a weight, as the script calls the cases, and the blocks that say it.
TEXTS = {
    "plain": "one-weight",
    "formed": "weight-of-a-form",
    "sink": "weight-beside-a-sink",
    "later": "masked-weight",
    "hidden": "hidden-weight",
    "score": "weight-of-a-score",
    "maskedScore": "masked-weight-of-a-score",
    "softmax": "softmax",
}


def show(subject: Subject) -> None:
    """Choose a head, a query and a key, and follow the weight in the browser; below, the check and the files of it."""
    layers, heads = subject.layers[:-1], subject.heads[:-1]
    queries, keys = (
        dict(zip(_ids(subject, side), map(Name, subject.kind.names(subject.tokens[side])), strict=True))
        for side in (0, 1)
    )
    first = list(queries)[0 if subject.kind.places else -1]  # CLS, or the token that was read last
    strongest = {STRONGEST: say("one-weight.strongest", "the strongest")}
    pieces = f"{subject.kind.name}_query_piece", f"{subject.kind.name}_key_piece"
    offered = (
        *inputs.heads_to_choose(layers, heads),
        Choice(say("one-weight.query", "Query"), queries, pieces[0], first, varies=True),
        Choice(say("one-weight.key", "Key"), strongest | keys, pieces[1], varies=True),
    )
    chosen = {choice.key: choice.inside() for choice in offered}
    place = (
        layers.index(chosen["layer"]),
        heads.index(chosen["head"]),
        list(queries).index(chosen[pieces[0]]),
    )
    wanted = chosen[pieces[1]]
    key = int(subject.record.weights[place].argmax()) if wanted == STRONGEST else list(keys).index(wanted)
    seen = getattr(subject.record, "forms", None) != ()  # of some opened models scores are all that is seen
    one = (one_weight if seen else one_softmax)(subject.record, *place, key)
    taken_apart.one_weight(_weights(subject, offered, chosen, place[:2]), "one-weight", inputs.remember)
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
            numbers = taken_apart.PRODUCT(), taken_apart.SUM()
            header = [taken_apart.DIMENSION(), terms.QUERY(), terms.KEY(), *numbers]
            files.csv(header, rows, "weight", say("one-weight.csv", "This weight as CSV"))
        shown = subject.kind.names(subject.tokens[1])
        softmax_of = zip(shown, one.scores, one.exponentials, one.weights, strict=True)
        rows = [[name, *map(float, line)] for name, *line in softmax_of]
        header = [terms.KEY(), taken_apart.SCORE(), taken_apart.EXPONENTIAL(), terms.WEIGHT()]
        files.csv(header, rows, "softmax", say("one-weight.softmax.csv", "Its softmax as CSV"))


def _weights(
    subject: Subject, offered: tuple[Choice, ...], chosen: dict[str, str], place: tuple[int, int]
) -> taken_apart.WeightsApart:
    """All from which the browser takes a weight apart; of the head at `place` alone where that is too much."""
    record, names = subject.record, (subject.layers[:-1], subject.heads[:-1])
    forms = getattr(record, "forms", None)
    if forms is None:  # of the project's own networks
        forms = (ScoreForm(record.queries.shape[-1] ** -0.5, allowed=record.allowed),) * len(names[0])
    queries, keys = (record.queries, record.keys) if forms else (None, None)
    scores = None if forms and not any(form.biased for form in forms) else record.scores
    if not choices.fits_exactly([each for each in (queries, keys, scores) if each is not None]):
        names = tuple([of[at]] for of, at in zip(names, place, strict=True))
        layer, head = (slice(at, at + 1) for at in place)
        forms = [_of_head(form, place[1]) for form in forms[layer]]
        if queries is not None:
            group = place[1] * keys.shape[1] // queries.shape[1]
            queries, keys = queries[layer, head], keys[layer, group : group + 1]
        scores = None if scores is None else scores[layer, head]
    masks = list({id(form.allowed): form.allowed for form in forms if form.allowed is not None}.values())
    texts = TEXTS | {"products": "products" if forms else "no-products"}
    return taken_apart.WeightsApart(
        subject.kind.name,
        subject.kind.causal,
        subject.kind.places,
        tuple(subject.tokens),
        offered,
        chosen,
        names,
        {case: block("attention_viewer", id) for case, id in texts.items()},
        queries,
        keys,
        scores,
        [_described(form, record.queries.shape[-1], masks) for form in forms],
        masks,
    )


def _of_head(form: ScoreForm, head: int) -> ScoreForm:
    return form if form.sinks is None else replace(form, sinks=form.sinks[head : head + 1])


def _described(form: ScoreForm, d_k: int, masks: list[np.ndarray]) -> taken_apart.Form:
    mask = next((place for place, mask in enumerate(masks) if mask is form.allowed), -1)
    sinks = [] if form.sinks is None else form.sinks.tolist()
    return taken_apart.Form(form.scaling, form.plain(d_k), form.softcap or 0.0, form.biased, sinks, mask)


def _ids(subject: Subject, side: int) -> list[str]:
    """What the address calls the queries (side 0) or keys (side 1): a token its place, a patch its row and column."""
    count = len(subject.tokens[side])
    if subject.grid is None:
        return [str(place + 1) for place in range(count)]
    patches = [f"{row + 1}-{column + 1}" for row, column in np.ndindex(*subject.grid)]
    leading = count - len(patches)
    return ["cls", *(f"register-{number}" for number in range(1, leading))][:leading] + patches
