"""Which method agrees with erasing words: for the chosen word, over the sentence, and over held-out sentences."""

from __future__ import annotations

import streamlit as st

from model.attribution.agreement import METHODS, measured_over_many, most_displaced
from model.attribution.leave_one_out import Way
from model.attribution.ranks import FEWEST
from pages.attribution.evidence import SHORT, Evidence
from pages.shared.opening import Request
from views.html import bars, tokens
from views.text import literal, prose
from views.text.numbers import three_digits

UNDEFINED = "not defined"


def verdict(request: Request, found: Evidence, place: int, way: Way) -> None:
    """The winners in words, all figures as a table, and what was measured over many sentences."""
    many = measured_over_many(request.service.model.weights_sha256)
    figures = many["ways"][way] if many else {}
    st.markdown(in_words(found, place))
    header = ["method", "this word", "sentence", *([f"{many['sentences']} held-out sentences"] if many else [])]
    table = [row(found, method, place, figures) for method in METHODS]
    best = found.agreement.best(place)
    marked = METHODS.index(best[0]) if len(best) == 1 else None
    name = tokens.label("Spearman\u2019s rank correlation with erasing: 1 is the same order, 0 no relation")
    st.html(name + bars.table(header, table, "Rank correlation of every method with erasing", marked))
    counted = sum(found.agreement.counted)
    defined = min(len(found.agreement.defined(method)) for method in METHODS)
    st.caption(
        prose.block("attribution", "What is counted").format(
            source=found.agreement.words, target=counted, defined=defined
        )
    )
    st.caption(over_many(many, figures) if many else prose.block("attribution", "Not measured"))


def row(found: Evidence, method: str, place: int, figures: dict) -> list[bars.Value]:
    """One method's correlations."""
    values = found.agreement.correlations[method][place], found.agreement.sentence(method)
    cells: list[bars.Value] = [SHORT[method], *(UNDEFINED if v is None else bars.bar(v, 1, "cross") for v in values)]
    if figures:
        known = figures[method]
        text = f"{three_digits(known['mean'])} \u00b1 {three_digits(known['standard_error'])}"
        cells.append(text)
    return cells


def in_words(found: Evidence, place: int) -> str:
    """Which method agrees best here, and where the worst one goes wrong."""
    compared = found.agreement
    if compared.words < FEWEST:
        return prose.block("attribution", "Too few").format(words=compared.words)
    word = literal.markdown(literal.token(found.target[place]))
    best, overall = compared.best(place), compared.best()
    if not best:
        said = [prose.block("attribution", "No order").format(word=word)]
    else:
        value = compared.correlations[best[0]][place]
        said = [prose.block("attribution", "Best here").format(word=word, best=_names(best), value=three_digits(value))]
        worst = min(METHODS, key=lambda method: _or_more(compared.correlations[method][place]))
        if worst not in best:
            said.append(_displaced(found, worst, place))
    if overall:
        value = compared.sentence(overall[0])
        said.append(prose.block("attribution", "Best overall").format(best=_names(overall), value=three_digits(value)))
    return " ".join(said)


def _displaced(found: Evidence, method: str, place: int) -> str:
    """The source word about whose rank a method is most wrong."""
    columns = found.columns
    at, score, drop = most_displaced(found.explained.scores[method][place, columns], found.drops[place, columns])
    return prose.block("attribution", "Displaced").format(
        method=method,
        word=literal.markdown(literal.token(found.source[columns[at]])),
        score=score,
        drop=drop,
        words=len(columns),
    )


def _or_more(value: float | None) -> float:
    return 2.0 if value is None else value


def _names(methods: tuple[str, ...]) -> str:
    return " and ".join(f"**{method}**" for method in methods)


def over_many(many: dict, figures: dict) -> str:
    """The held-out figures in words: the leader, and whether its lead is more than chance."""
    leader = max(METHODS, key=lambda method: figures[method]["mean"])
    lead = figures[leader]["to_rival"]
    sure = lead["mean"] > 2 * lead["standard_error"]  # about one chance in forty that this is luck
    return prose.block("attribution", "Held out").format(
        sentences=many["sentences"],
        target=many["target_words"],
        leader=leader,
        rival=lead["other"],
        lead=three_digits(lead["mean"]),
        error=three_digits(lead["standard_error"]),
        verdict=prose.block("attribution", "Sure" if sure else "Unsure"),
    )
