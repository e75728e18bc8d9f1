"""Agreement of each method with leave-one-out: for the chosen word, the sentence, and held-out sentences."""

import streamlit as st

from model.attribution.agreement import FEWEST, METHODS, find_most_displaced, read_measured_agreement
from model.attribution.leave_one_out import Way
from pages.attribution.attribution_scores import AttributionScores, method_name, short_name
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn, render_table
from pages.shared.texts import block, caption
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say, say_count
from views.text.numbers import three_digits

UNDEFINED = Message("attribution.undefined", "not defined")


def render_agreement(request: Request, evidence: AttributionScores, place: int, way: Way) -> None:
    """Render the best methods in words, all correlations as a table, and those over many sentences."""
    agreement = evidence.agreement
    many = read_measured_agreement(request.service.model.weights_sha256)
    figures = many["ways"][way] if many else {}
    st.markdown(agreement_text(evidence, place))
    cell = lambda value: UNDEFINED() if value is None else bars.bar_cell(value, 1, "cross")  # noqa: E731
    columns = [
        TableColumn(say("attribution.column.method", "method"), list(map(short_name, METHODS))),
        TableColumn(
            say("attribution.column.word", "this word"),
            [cell(agreement.correlations[method][place]) for method in METHODS],
        ),
        TableColumn(
            say("attribution.column.sentence", "sentence"), [cell(agreement.sentence(method)) for method in METHODS]
        ),
    ]
    if many:
        header = say_count(
            "attribution.column.many", "{count} held-out sentence", "{count} held-out sentences", many["sentences"]
        )
        measured = ([three_digits(figures[method][what]) for what in ("mean", "standard_error")] for method in METHODS)
        columns.append(TableColumn(header, list(map(" \u00b1 ".join, measured))))
    best = agreement.best(place)
    marked = METHODS.index(best[0]) if len(best) == 1 else None
    title = say(
        "attribution.correlations",
        "Spearman\u2019s rank correlation with leave-one-out: 1 is the same order, 0 no relation",
    )
    name = say("attribution.correlations.table", "Rank correlation of every method with leave-one-out")
    render_table(columns, name, marked, title)
    defined = min(len(agreement.defined(method)) for method in METHODS)
    caption("attribution", "what-is-counted", source=agreement.words, target=sum(agreement.counted), defined=defined)
    st.caption(held_out_text(many, figures) if many else block("attribution", "not-measured"))


def agreement_text(evidence: AttributionScores, place: int) -> str:
    """State which method agrees best for a word, and where the worst one differs."""
    agreement = evidence.agreement
    if agreement.words < FEWEST:
        return block("attribution", "too-few", words=agreement.words)
    word = literal.markdown(literal.token(evidence.target[place]))
    best, overall = agreement.best(place), agreement.best()
    if not best:
        texts = [block("attribution", "no-order", word=word)]
    else:
        at_word = {method: agreement.correlations[method][place] for method in METHODS}
        defined = {method: value for method, value in at_word.items() if value is not None}
        texts = [block("attribution", "best-here", word=word, best=_bold_names(best), value=defined[best[0]])]
        worst = min(defined, key=lambda method: defined[method])
        if worst not in best:
            texts.append(_worst_word_text(evidence, worst, place))
    if overall:
        value = agreement.sentence(overall[0])
        texts.append(block("attribution", "best-overall", best=_bold_names(overall), value=value))
    return " ".join(texts)


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
    """Describe the held-out figures: the leading method, and whether its lead is more than chance."""
    leader = max(METHODS, key=lambda method: figures[method]["mean"])
    lead = figures[leader]["to_rival"]
    sure = lead["mean"] > 2 * lead["standard_error"]  # about one chance in forty that this is luck
    measured = block(
        "attribution",
        "held-out",
        sentences=many["sentences"],
        target=many["target_words"],
        leader=method_name(leader),
        rival=method_name(lead["other"]),
        lead=lead["mean"],
        error=lead["standard_error"],
    )
    return f"{measured} {block('attribution', 'sure' if sure else 'unsure')}"
