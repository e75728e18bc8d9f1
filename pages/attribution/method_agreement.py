"""Agreement of each method with leave-one-out: for the chosen word, the sentence, and held-out sentences."""

from collections.abc import Callable

import streamlit as st

from model.attribution.agreement import (
    FEWEST,
    METHODS,
    MethodAgreement,
    find_most_displaced,
    read_measured_agreement,
)
from model.attribution.leave_one_out import Way
from pages.attribution.attribution_scores import AttributionScores, method_name, short_name
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn, render_table
from pages.shared.texts import block, caption
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits

UNDEFINED = Message("attribution.undefined", "not defined")
NOT_COMPUTED = Message("attribution.not-computed", "not computed")


def render_agreement(request: Request, evidence: AttributionScores, place: int, way: Way) -> None:
    """Render the best methods in words, all correlations as a table, and those over many sentences."""
    agreement = evidence.agreement
    many = read_measured_agreement(request.service.model.weights_sha256)
    figures = many["ways"][way] if many else {}
    st.markdown(agreement_text(evidence, place))

    def cells(value: Callable[[str], float | None]) -> list[bars.Value]:
        """A cell for each method, those included that were not computed."""
        return [_cell(value(method)) if method in evidence.methods else NOT_COMPUTED() for method in METHODS]

    columns = [
        TableColumn(say("attribution.column.method", "method"), list(map(short_name, METHODS))),
        TableColumn(
            say("attribution.column.word", "this word"), cells(lambda method: agreement.correlations[method][place])
        ),
        TableColumn(say("attribution.column.sentence", "sentence"), cells(agreement.sentence)),
        TableColumn(say("attribution.column.sentence.top", "sentence, top word"), cells(agreement.sentence_top)),
    ]
    if many:
        count = many["sentences"]
        header = say("attribution.column.many", "{count} held out", count=count)
        columns.append(TableColumn(header, [_with_error(figures[method]) for method in METHODS]))
        header = say("attribution.column.many.top", "{count} held out, top word", count=count)
        columns.append(TableColumn(header, [_with_error(figures[method]["top"]) for method in METHODS]))
    best = agreement.best_by_both(place)
    marked = METHODS.index(best[0]) if len(best) == 1 else None
    title = say(
        "attribution.agreement",
        "Agreement with leave-one-out: Spearman\u2019s rank correlation (1 is the same order, 0 no relation), "
        "and how often both have the same top word",
    )
    name = say("attribution.agreement.table", "Rank correlation of every method with leave-one-out, and same top word")
    render_table(columns, name, marked, title, stacked=True)
    defined = min(len(agreement.defined(method)) for method in evidence.methods)
    caption("attribution", "what-is-counted", source=agreement.words, target=sum(agreement.counted), defined=defined)
    st.caption(held_out_text(many, figures) if many else block("attribution", "not-measured"))


def _cell(value: float | None) -> bars.Value:
    return UNDEFINED() if value is None else bars.bar_cell(value, 1, "cross")


def agreement_text(evidence: AttributionScores, place: int) -> str:
    """State which method agrees best for a word, and where the worst one differs."""
    agreement = evidence.agreement
    if agreement.words < FEWEST:
        return block("attribution", "too-few", words=agreement.words)
    word = literal.markdown(literal.token(evidence.target[place]))
    best, both = agreement.best(place), agreement.best_by_both(place)
    if not best:
        texts = [block("attribution", "no-order", word=word)]
    else:
        at_word = {method: agreement.correlations[method][place] for method in evidence.methods}
        defined = {method: value for method, value in at_word.items() if value is not None}
        if both:
            texts = [block("attribution", "best-here", word=word, best=_bold_names(both), value=defined[both[0]])]
        else:
            top, value = _tops(agreement.best_top(place), agreement, place), defined[best[0]]
            texts = [block("attribution", "differ-here", word=word, best=_bold_names(best), value=value), top]
        worst = min(defined, key=lambda method: defined[method])
        if worst not in best:
            texts.append(_worst_word_text(evidence, worst, place))
    if agreement.best():
        texts.append(_sentence_text(agreement))
    return " ".join(texts)


def _sentence_text(agreement: MethodAgreement) -> str:
    """State which method agrees best over the sentence, or that the two measures differ."""
    best, both = agreement.best(), agreement.best_by_both()
    value, top = agreement.sentence(best[0]), agreement.best_top()
    share = percent(agreement.sentence_top(top[0]) or 0.0) if top else ""
    if both:
        return block("attribution", "best-overall", best=_bold_names(both), value=value, share=share)
    return block(
        "attribution", "differ-overall", best=_bold_names(best), value=value, top=_bold_names(top), share=share
    )


def _tops(methods: tuple[str, ...], agreement: MethodAgreement, place: int) -> str:
    """State which methods name the word that matters most for a target word, if any does."""
    if not methods or not agreement.top_matches[methods[0]][place]:
        return block("attribution", "no-top-here")
    return block("attribution", "top-here", top=_bold_names(methods))


def _with_error(figures: dict) -> str:
    return " \u00b1 ".join(three_digits(figures[what]) for what in ("mean", "standard_error"))


def _worst_word_text(evidence: AttributionScores, method: str, place: int) -> str:
    """Describe the source word whose rank differs most between a method and leave-one-out."""
    columns = evidence.columns
    at, score, drop = find_most_displaced(
        evidence.explained.scores[method][place, columns], evidence.drops[place, columns]
    )
    return block(
        "attribution",
        "displaced",
        method=method_name(method),
        word=literal.markdown(literal.token(evidence.source[columns[at]])),
        score=score,
        drop=drop,
        words=len(columns),
    )


def _bold_names(methods: tuple[str, ...]) -> str:
    return ", ".join(f"**{method_name(method)}**" for method in methods)


def held_out_text(many: dict, figures: dict) -> str:
    """Describe the held-out figures: who leads by both measures, and whether the leads are more than chance."""
    tops = {method: figures[method]["top"] for method in METHODS}
    leader, top_leader = (max(METHODS, key=lambda method: of[method]["mean"]) for of in (figures, tops))
    numbers = {"sentences": many["sentences"], "target": many["target_words"]}
    leads = {
        "leader": method_name(leader),
        "rival": method_name(figures[leader]["to_rival"]["other"]),
        "lead": figures[leader]["to_rival"]["mean"],
        "error": figures[leader]["to_rival"]["standard_error"],
        "top_leader": method_name(top_leader),
        "top_rival": method_name(tops[top_leader]["to_rival"]["other"]),
        "top_lead": _points(tops[top_leader]["to_rival"]["mean"]),
        "top_error": _points(tops[top_leader]["to_rival"]["standard_error"]),
    }
    measured = block("attribution", "held-out", **numbers, **leads)
    sure = [_is_sure(of[first]["to_rival"]) for of, first in ((figures, leader), (tops, top_leader))]
    if leader == top_leader and all(sure):
        verdict = block("attribution", "sure", leader=method_name(leader))
    elif leader == top_leader:
        verdict = block("attribution", "unsure")
    else:
        verdict = block("attribution", "measures-differ" if all(sure) else "measures-differ-unsure")
    return f"{measured} {verdict}"


def _is_sure(lead: dict) -> bool:
    return lead["mean"] > 2 * lead["standard_error"]  # about one chance in forty that this is luck


def _points(share: float) -> str:
    """Format a difference of shares in percentage points."""
    return three_digits(100 * share)
