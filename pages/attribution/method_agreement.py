"""Which method agrees with leave-one-out: for the chosen word, over the sentence, and over held-out sentences."""

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


def render_agreement(request: Request, found: AttributionScores, place: int, way: Way) -> None:
    """The winners in words, all figures as a table, and what was measured over many sentences."""
    agreed = found.agreement
    many = read_measured_agreement(request.service.model.weights_sha256)
    figures = many["ways"][way] if many else {}
    st.markdown(agreement_text(found, place))
    drawn = lambda value: UNDEFINED() if value is None else bars.bar_cell(value, 1, "cross")  # noqa: E731
    columns = [
        TableColumn(say("attribution.column.method", "method"), list(map(short_name, METHODS))),
        TableColumn(
            say("attribution.column.word", "this word"),
            [drawn(agreed.correlations[method][place]) for method in METHODS],
        ),
        TableColumn(
            say("attribution.column.sentence", "sentence"), [drawn(agreed.sentence(method)) for method in METHODS]
        ),
    ]
    if many:
        header = say_count(
            "attribution.column.many", "{count} held-out sentence", "{count} held-out sentences", many["sentences"]
        )
        measured = ([three_digits(figures[method][what]) for what in ("mean", "standard_error")] for method in METHODS)
        columns.append(TableColumn(header, list(map(" \u00b1 ".join, measured))))
    best = agreed.best(place)
    marked = METHODS.index(best[0]) if len(best) == 1 else None
    title = say(
        "attribution.correlations",
        "Spearman\u2019s rank correlation with leave-one-out: 1 is the same order, 0 no relation",
    )
    described = say("attribution.correlations.table", "Rank correlation of every method with leave-one-out")
    render_table(columns, described, marked, title)
    defined = min(len(agreed.defined(method)) for method in METHODS)
    caption("attribution", "what-is-counted", source=agreed.words, target=sum(agreed.counted), defined=defined)
    st.caption(held_out_text(many, figures) if many else block("attribution", "not-measured"))


def agreement_text(found: AttributionScores, place: int) -> str:
    """Which method agrees best here, and where the worst one goes wrong."""
    compared = found.agreement
    if compared.words < FEWEST:
        return block("attribution", "too-few", words=compared.words)
    word = literal.markdown(literal.token(found.target[place]))
    best, overall = compared.best(place), compared.best()
    if not best:
        said = [block("attribution", "no-order", word=word)]
    else:
        value = compared.correlations[best[0]][place]
        said = [block("attribution", "best-here", word=word, best=_bold_names(best), value=value)]
        defined = [method for method in METHODS if compared.correlations[method][place] is not None]
        worst = min(defined, key=lambda method: compared.correlations[method][place])
        if worst not in best:
            said.append(_worst_word_text(found, worst, place))
    if overall:
        value = compared.sentence(overall[0])
        said.append(block("attribution", "best-overall", best=_bold_names(overall), value=value))
    return " ".join(said)


def _worst_word_text(found: AttributionScores, method: str, place: int) -> str:
    """The source word about whose rank a method is most wrong."""
    columns = found.columns
    at, score, drop = find_most_displaced(found.explained.scores[method][place, columns], found.drops[place, columns])
    return block(
        "attribution",
        "displaced",
        method=method_name(method),
        word=literal.markdown(literal.token(found.source[columns[at]])),
        score=score,
        drop=drop,
        words=len(columns),
    )


def _bold_names(methods: tuple[str, ...]) -> str:
    return ", ".join(f"**{method_name(method)}**" for method in methods)


def held_out_text(many: dict, figures: dict) -> str:
    """The held-out figures in words: the leader, and whether its lead is more than chance."""
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
