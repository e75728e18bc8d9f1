"""One weight: the query's and the key's numbers, their products, the score and the softmax that it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model.lessons.one_weight import OneWeight, ScoreForm, recompute_softmax, recompute_weight
from pages.shared import checks, files
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping
from pages.shared.texts import block, caption
from views.components import controls as travelling
from views.components import one_weight as taken_apart
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.text import terms
from views.text.catalogue import Untranslated, say

STRONGEST = taken_apart.STRONGEST
# What is said of a weight, as the script calls the cases, and the blocks that say it.
CASES = {
    "plain": "one-weight",
    "formed": "weight-of-a-form",
    "sink": "weight-beside-a-sink",
    "later": "masked-weight",
    "hidden": "hidden-weight",
    "score": "weight-of-a-score",
    "maskedScore": "masked-weight-of-a-score",
    "softmax": "softmax",
}


def render(
    subjects: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> ViewedAttention:
    """Choose a kind, a head, a query and a key, and follow the weight in the browser; below, its check and its files.

    Arguments and result as of `overview.show`; only the choice among kinds is offered, as a weight is of single tokens.
    """
    offered = [choice for choice in choices if choice.key == "kind"]
    chosen = {choice.key: choice.in_component() for choice in offered}
    name = chosen.get("kind", next(iter(subjects)))
    subject = subjects[name]
    layers, heads = subject.layers[:-1], subject.heads[:-1]
    chosen |= {choice.key: choice.in_component() for choice in sentence_input.head_choices(layers, heads)}
    most = max(subjects.values(), key=lambda each: each.attention.shape[:2])  # kinds may differ in layers and heads
    offered += sentence_input.head_choices(most.layers[:-1], most.heads[:-1])
    pairs = {each: _query_and_key_choices(of, each == name) for each, of in subjects.items()}
    for pair in pairs.values():
        offered += pair
        chosen |= {choice.key: choice.in_component() for choice in pair}
    query, key = pairs[name]
    place = layers.index(chosen["layer"]), heads.index(chosen["head"]), list(query.options).index(chosen[query.key])
    wanted = chosen[key.key]
    weights = subject.record.weights[place]
    at = int(weights.argmax()) if wanted == STRONGEST else list(key.options).index(wanted) - 1
    seen = getattr(subject.record, "forms", None) != ()  # of some opened models scores are all that is seen
    one = (recompute_weight if seen else recompute_softmax)(subject.record, *place, at)
    apart = _weights_by_kind(subjects, pairs, name, place[:2])
    taken_apart.one_weight(
        taken_apart.WeightsOfKinds(apart, offered, chosen), "one-weight", sentence_input.store_selection
    )
    _render_files(subject, one)
    return subject


def _query_and_key_choices(subject: ViewedAttention, shown: bool) -> tuple[Choice, Choice]:
    """The query and the key of one kind of attention; the address always says them of the kind that is `shown`."""
    queries, keys = (
        dict(zip(_token_ids(subject, side), map(Untranslated, subject.kind.names(subject.tokens[side])), strict=True))
        for side in (0, 1)
    )
    first = list(queries)[0 if subject.kind.places else -1]  # CLS, or the token that was read last
    strongest = {STRONGEST: say("one-weight.strongest", "the strongest")}
    names = f"{subject.kind.name}_query_piece", f"{subject.kind.name}_key_piece"
    return (
        Choice(say("one-weight.query", "Query"), queries, names[0], first, varies=shown),
        Choice(say("one-weight.key", "Key"), strongest | keys, names[1], varies=shown),
    )


def _render_files(subject: ViewedAttention, one: OneWeight) -> None:
    """The check of the weight that is chosen, and its files."""
    if getattr(subject.record, "half", False):
        difference = checks.format_difference("half attention", one.difference)
    else:
        difference = checks.format_difference("one weight", one.difference)
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


def _weights_by_kind(
    subjects: Mapping[str, ViewedAttention],
    pairs: Mapping[str, tuple[Choice, Choice]],
    name: str,
    place: tuple[int, int],
) -> dict[str, taken_apart.WeightsApart]:
    """What the browser takes weights apart from: all kinds, or as much of the one called `name` as can travel."""
    whole = {each: _weights_of_kind(of, pairs[each]) for each, of in subjects.items()}
    numbers = {each: [n for n in (w.queries, w.keys, w.scores) if n is not None] for each, w in whole.items()}
    if travelling.fits_exactly(sum(numbers.values(), [])):
        return whole
    if travelling.fits_exactly(numbers[name]):
        return {name: whole[name]}
    return {name: _weights_of_kind(subjects[name], pairs[name], place)}


def _weights_of_kind(
    subject: ViewedAttention, pair: tuple[Choice, Choice], place: tuple[int, int] | None = None
) -> taken_apart.WeightsApart:
    """All from which the browser takes a weight apart; of the head at `place` alone where one is given."""
    record, all_names = subject.record, (subject.layers[:-1], subject.heads[:-1])
    forms, names = getattr(record, "forms", None), all_names
    if forms is None:  # of the project's own networks
        forms = (ScoreForm(record.queries.shape[-1] ** -0.5, allowed=record.allowed),) * len(names[0])
    queries, keys = (record.queries, record.keys) if forms else (None, None)
    scores = None if forms and not any(form.biased for form in forms) else record.scores
    if place is not None:
        names = tuple([of[at]] for of, at in zip(names, place, strict=True))
        layer, head = (slice(at, at + 1) for at in place)
        forms = [_form_of_head(form, place[1]) for form in forms[layer]]
        if queries is not None:
            group = place[1] * keys.shape[1] // queries.shape[1]
            queries, keys = queries[layer, head], keys[layer, group : group + 1]
        scores = None if scores is None else scores[layer, head]
    masks = list({id(form.allowed): form.allowed for form in forms if form.allowed is not None}.values())
    texts = CASES | {"products": "products" if forms else "no-products"}
    return taken_apart.WeightsApart(
        subject.kind.name,
        subject.kind.causal,
        subject.kind.places,
        tuple(subject.tokens),
        [choice.key for choice in pair],
        all_names,
        names,
        {case: block("attention_viewer", id) for case, id in texts.items()},
        queries,
        keys,
        scores,
        [_describe_form(form, record.queries.shape[-1], masks) for form in forms],
        masks,
    )


def _form_of_head(form: ScoreForm, head: int) -> ScoreForm:
    return form if form.sinks is None else replace(form, sinks=form.sinks[head : head + 1])


def _describe_form(form: ScoreForm, d_k: int, masks: list[np.ndarray]) -> taken_apart.ScoreFormFields:
    mask = next((place for place, mask in enumerate(masks) if mask is form.allowed), -1)
    sinks = [] if form.sinks is None else form.sinks.tolist()
    return taken_apart.ScoreFormFields(form.scaling, form.plain(d_k), form.softcap or 0.0, form.biased, sinks, mask)


def _token_ids(subject: ViewedAttention, side: int) -> list[str]:
    """What the address calls the queries (side 0) or keys (side 1): a token its place, a patch its row and column."""
    count = len(subject.tokens[side])
    if subject.grid is None:
        return [str(place + 1) for place in range(count)]
    patches = [f"{row + 1}-{column + 1}" for row, column in np.ndindex(*subject.grid)]
    leading = count - len(patches)
    return ["cls", *(f"register-{number}" for number in range(1, leading))][:leading] + patches
