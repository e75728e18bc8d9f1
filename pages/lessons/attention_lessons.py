"""Lessons about attention: ribbons, one query, many heads, and what attention does not tell."""

import numpy as np

from model import Trace
from model.course import attention_outcomes
from pages.lessons.lesson_parts import (
    LAYER,
    LessonContent,
    LessonInput,
    figure_values,
    key_of,
    question,
    token_of,
)
from views import palette
from views.controls import sentence_input
from views.svg import course_sentences as figures
from views.svg.course_parts import shown_token
from views.text.catalogue import say
from views.text.numbers import signed, three_digits

ENCODER_LAYER = 1  # whose heads are drawn, from 0


def ribbons(lesson: LessonInput) -> LessonContent:
    """What attends to what: the thickest ribbon, and the most even bar."""
    trace = lesson.trace()
    result = lesson.compute(lambda network: attention_outcomes.read_ribbons(trace, LAYER))
    keys, places = trace.source_tokens, trace.next_tokens
    weights = result.weights[result.place]
    first, second = np.argsort(-weights, kind="stable")[:2]
    token = token_of(trace, result.place)
    label = _ribbons_label(token)
    drawn = [
        figures.ribbons(keys, places, result.weights, result.place, label, covered=True, picks="keys"),
        figures.ribbons(keys, places, result.weights, result.place, label, covered=False, picks="queries"),
    ]
    found = lesson.block(
        "found",
        token=token,
        key=key_of(trace, first),
        weight=float(weights[first]),
        second=key_of(trace, second),
        second_weight=float(weights[second]),
    )
    heads = trace.cross_attention.shape[1]
    spread = lesson.block(
        "last-found", token=token_of(trace, int(result.spread.right)), **figure_values(result.spread, "entropy")
    )
    return LessonContent(
        lesson.block("aim"),
        tuple(drawn),
        question(lesson.block("ask", token=token, heads=heads), result.strongest, found),
        lesson.block("mistake"),
        question(lesson.block("last"), result.spread, spread),
    )


def one_query(lesson: LessonInput) -> LessonContent:
    """One query: a number is added to one score."""
    trace = lesson.trace()
    result = lesson.compute(lambda network: attention_outcomes.add_to_score(trace, LAYER, 0))
    token, key = token_of(trace, result.place), key_of(trace, result.key)
    label = say("course.figure.scores", "Scores and weights of one query, a row for each key")
    raised = [
        signed(float(score)) + (" + 2" if number == result.key else "") for number, score in enumerate(result.scores)
    ]
    before = figures.bar_rows(
        trace.source_tokens, list(result.before), label, kind="cross", covered=False, scores=raised, marked=result.key
    )
    after = figures.bar_rows(
        trace.source_tokens,
        list(result.after),
        label,
        kind="cross",
        covered=False,
        scores=raised,
        marked=result.key,
        before=list(result.before),
    )
    options = {
        "stay": say("course.query.stay", "They stay as they are"),
        "factor": say("course.query.factor", "All shrink by one factor"),
        "small": say("course.query.small", "Only the small ones shrink"),
    }
    numbers = {str(place): signed(number) for place, number in enumerate(result.numbers)}
    values = figure_values(result.others, "factor", "before", "after")
    return LessonContent(
        lesson.block("aim"),
        (before, after),
        question(
            lesson.block("ask", token=token, key=key), result.others, lesson.block("found", key=key, **values), options
        ),
        lesson.block("mistake"),
        question(
            lesson.block("last", key=key, before=values["before"]),
            result.half,
            lesson.block("last-found", delta=signed(float(result.half.figures["delta"])), before=values["before"]),
            numbers,
        ),
    )


def heads(lesson: LessonInput) -> LessonContent:
    """Many heads: all of a layer get its mean weights."""
    trace = lesson.trace()
    result = lesson.compute(attention_outcomes.average_heads, trace, LAYER)
    colours = palette.HEADS[sentence_input.theme()]
    count = len(result.losses)
    legend = [
        (say("course.head", "head {number}", number=number + 1), colours[number % len(colours)])
        for number in range(count)
    ]
    label = say("course.figure.heads", "The strongest attention of each token to another one, a colour for each head")
    links = _strongest_links(trace, colours)
    drawn = [figures.arcs(trace.source_tokens, links, label, legend=legend, pick=pick) for pick in (False, True)]
    options = {
        "same": say("course.heads.same", "It stays about the same"),
        "double": say("course.heads.double", "Up to double"),
        "more": say("course.heads.more", "More than double"),
    }
    cheapest = int(result.cheapest.right)
    values = figure_values(result.cheapest, "loss", "before")
    return LessonContent(
        lesson.block("aim", heads=count, layer=ENCODER_LAYER + 1),
        tuple(drawn),
        question(
            lesson.block("ask"),
            result.loss,
            lesson.block("found", **figure_values(result.loss, "before", "after")),
            options,
        ),
        lesson.block("mistake"),
        question(lesson.block("last"), result.cheapest, lesson.block("last-found", head=cheapest + 1, **values)),
    )


def limits(lesson: LessonInput) -> LessonContent:
    """What attention does not tell: the thickest ribbon is cut."""
    trace = lesson.trace()
    result = lesson.compute(attention_outcomes.hide_keys, trace, LAYER)
    place, token = result.place, token_of(trace, result.place)
    strongest = int(result.weights[place].argmax())
    arguments = (trace.source_tokens, trace.next_tokens, result.weights, place, _ribbons_label(token))
    chosen = shown_token(result.chosen)
    drawn = (
        figures.ribbons(*arguments, covered=False),
        figures.ribbons(*arguments, covered=False, picks="keys", hidden=strongest, becomes=chosen),
        figures.bar_rows(
            trace.source_tokens,
            [max(0.0, float(rise)) for rise in result.rises],
            say("course.figure.rises", "Increase of -ln p without each key, in nats"),
            kind="decoder",
            covered=False,
            pick=True,
        ),
    )
    options = {
        "stays": say("course.limits.stays", "The same token"),
        "changes": say("course.limits.changes", "Another token"),
    }
    counts = {name: round(result.word.figures[name]) for name in ("stay", "places")}
    rise = float(result.matters.figures["rise"])
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(
            lesson.block(
                "ask", key=key_of(trace, strongest), token=token, weight=three_digits(result.word.figures["weight"])
            ),
            result.word,
            lesson.block("found", chosen=chosen, **counts),
            options,
        ),
        lesson.block("mistake"),
        question(
            lesson.block("last", token=token),
            result.matters,
            lesson.block("last-found", key=key_of(trace, int(result.matters.right)), token=token, rise=rise),
        ),
    )


def _ribbons_label(token: str) -> str:
    return say("course.figure.ribbons", "Ribbons from the English tokens to {token}", token=token)


def _strongest_links(trace: Trace, colours: tuple[str, ...]) -> list[tuple[int, int, float, str]]:
    """Return the strongest link of each token and head to another token, where it is at least 0.3."""
    weights = trace.encoder_attention[ENCODER_LAYER].astype(np.float64)  # (head, S, S)
    links = []
    for head, matrix in enumerate(weights):
        others = np.where(np.eye(len(matrix), dtype=bool), 0, matrix)
        for query, key in enumerate(others.argmax(axis=1)):
            if others[query, key] >= 0.3:
                links.append((query, int(key), float(others[query, key]), colours[head % len(colours)]))
    return links
