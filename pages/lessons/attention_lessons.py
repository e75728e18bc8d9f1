"""Lessons about attention: ribbons, one query, many heads, and what attention does not tell."""

import numpy as np

from model.course import attention_outcomes
from pages.lessons.attention_reasons import head_reasons, limit_reasons, query_reasons, ribbon_reasons
from pages.lessons.lesson_parts import (
    LAYER,
    LessonContent,
    LessonInput,
    figure_values,
    key_of,
    last_question,
    question,
    token_of,
)
from views import palette
from views.controls import sentence_input
from views.svg import course_sentences as figures
from views.svg.course_heads import Link, head_columns
from views.svg.course_parts import shown_token
from views.text.catalogue import say
from views.text.numbers import grouped, signed, three_digits

ENCODER_LAYER = 1  # whose heads are drawn, from 0


def ribbons(lesson: LessonInput) -> LessonContent:
    """What attends to what: the thickest ribbon, and the most even bar."""
    trace = lesson.trace()
    result = lesson.compute(lambda network: attention_outcomes.read_ribbons(trace, LAYER))
    keys, places = trace.source_tokens, trace.next_tokens
    token = token_of(trace, result.place)
    arguments = keys, places, result.weights, result.place, _ribbons_label(token)
    drawn = (
        figures.ribbons(*arguments, covered=True, picks={"keys": "ask"}),
        figures.ribbons(*arguments, covered=False, picks={"keys": "ask", "queries": "last"}),
    )
    spread = lesson.block(
        "last-found", token=token_of(trace, int(result.spread.right)), **figure_values(result.spread, "count")
    )
    return LessonContent(
        lesson.block("aim", heads=trace.cross_attention.shape[1]),
        drawn,
        question(lesson.block("ask", token=token), result.strongest, ribbon_reasons(result, trace, lesson.own)),
        lesson.block("mistake"),
        last_question(lesson.block("last"), result.spread, spread),
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
        trace.source_tokens,
        list(result.before),
        label,
        kind="cross",
        language="en",
        covered=False,
        scores=raised,
        marked=result.key,
    )
    after = figures.bar_rows(
        trace.source_tokens,
        list(result.after),
        label,
        kind="cross",
        language="en",
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
    weight = float(result.others.figures["before"])
    odds = (1 - weight) / weight
    found = lesson.block(
        "last-found",
        delta=signed(float(result.half.figures["delta"])),
        power=three_digits(float(result.half.figures["delta"])),
        before=weight,
        odds=grouped(round(odds)) if odds >= 10 else three_digits(odds),
    )
    return LessonContent(
        lesson.block("aim"),
        (before, after),
        question(lesson.block("ask", token=token, key=key), result.others, query_reasons(result, key), options),
        lesson.block("mistake"),
        last_question(lesson.block("last", key=key, before=weight), result.half, found, numbers),
    )


def heads(lesson: LessonInput) -> LessonContent:
    """Many heads: all of a layer get its mean weights."""
    trace = lesson.trace()
    result = lesson.compute(attention_outcomes.average_heads, trace, LAYER)
    opening = lesson.opening()
    ours = opening.compute(attention_outcomes.average_heads, opening.trace(), LAYER) if lesson.own else result
    count = len(result.losses)
    names = [say("course.head", "head {number}", number=number + 1) for number in range(count)]
    label = say("course.figure.heads", "The strongest attention of each token to another one, a column for each head")
    weights = trace.encoder_attention[ENCODER_LAYER].astype(np.float64)  # (head, S, S)
    states = (
        say("course.heads.apart", "each its own"),
        say("course.heads.mean", "all their mean"),
    )
    losses = states, [float(result.loss.figures[name]) for name in ("before", "after")]
    columns = [_strongest_links(matrix, 0.3) for matrix in weights]
    mean = _strongest_links(weights.mean(axis=0), 0)
    arguments = trace.source_tokens, columns, mean, [*names, say("course.heads.of-mean", "mean of all heads")]
    colours = palette.HEADS[sentence_input.theme()]
    drawn = tuple(head_columns(*arguments, colours, losses, label, covered=covered) for covered in (True, False))
    options = {
        "same": say("course.heads.same", "It stays about the same"),
        "double": say("course.heads.double", "Up to double"),
        "more": say("course.heads.more", "More than double"),
    }
    cheapest = int(result.cheapest.right)
    values = figure_values(result.cheapest, "loss", "before")
    return LessonContent(
        lesson.block("aim", heads=count, layer=ENCODER_LAYER + 1),
        drawn,
        question(lesson.block("ask"), result.loss, head_reasons(result, ours), options),
        lesson.block("mistake", **figure_values(result.loss, "before", "after")),
        last_question(
            lesson.block("last"),
            result.cheapest,
            lesson.block("last-found", head=cheapest + 1, **values),
            {str(number): name for number, name in enumerate(names)},
        ),
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
        figures.ribbons(*arguments, covered=False, picks={"keys": "last"}, hidden=strongest, becomes=chosen),
        figures.bar_rows(
            trace.source_tokens,
            [float(rise) for rise in result.rises],
            say("course.figure.rises", "Increase of -ln p without each key, in nats"),
            kind="decoder",
            language="en",
            covered=False,
            picks="last",
        ),
    )
    options = {
        "stays": say("course.limits.stays", "The same token"),
        "changes": say("course.limits.changes", "Another token"),
    }
    rise = float(result.matters.figures["rise"])
    key = key_of(trace, strongest)
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(
            lesson.block("ask", key=key, token=token, weight=float(result.word.figures["weight"])),
            result.word,
            limit_reasons(result, key),
            options,
        ),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", token=token),
            result.matters,
            lesson.block("last-found", key=key_of(trace, int(result.matters.right)), token=token, rise=rise),
        ),
    )


def _ribbons_label(token: str) -> str:
    return say("course.figure.ribbons", "Ribbons from the English tokens to {token}", token=token)


def _strongest_links(weights: np.ndarray, least: float) -> list[Link]:
    """Return the strongest link of each token to another token, where its weight is at least `least`."""
    others = np.where(np.eye(len(weights), dtype=bool), 0, weights)  # (S, S)
    keys = others.argmax(axis=1)
    return [
        (query, int(key), float(others[query, key])) for query, key in enumerate(keys) if others[query, key] >= least
    ]
