"""Lessons about attention: ribbons, one query, many heads, and what attention does not tell."""

from collections.abc import Mapping

import numpy as np

from model import Trace
from model.course import attention_outcomes
from model.course.attention_outcomes import (
    ARTICLES,
    DOUBLE,
    NEAR_PROBABILITY,
    SAME,
    AddedScoreOutcome,
    AveragedHeadsOutcome,
    HiddenKeyOutcome,
    RibbonOutcome,
)
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


# Why each option of a lesson about attention holds or does not.

ENGLISH_ARTICLES = frozenset(("the", "a", "an"))


def ribbon_reasons(result: RibbonOutcome, trace: Trace, own: bool) -> Mapping[str, str]:
    """Return the reason for each key, of the sentence of the lesson or of the user's `own`."""
    weights = result.weights[result.place]
    first, second = np.argsort(-weights, kind="stable")[:2]
    token, key = token_of(trace, result.place), key_of(trace, int(first))
    values = {"token": token, "key": key, "weight": three_digits(float(weights[first]))}

    def reason(option: str) -> str:
        place = int(option)
        choice = {"choice": key_of(trace, place), "choice_weight": three_digits(float(weights[place]))}
        match result.strongest.verdict(option), place == second:
            case "held", _ if not own or _is_noun_of_article(result, trace, int(first)):
                return say(
                    "lesson.attention-ribbons.because.right",
                    "**Yes:** “{token}” reads “{key}” most, {weight}. Because an article must agree with its noun, "
                    "and only the noun tells which article.",
                    **values,
                )
            case "held", _:
                return say(
                    "lesson.attention-ribbons.because.right-own",
                    "**Yes:** “{token}” reads “{key}” most, {weight}.",
                    **values,
                )
            case "nearly", True if not own:
                return say(
                    "lesson.attention-ribbons.because.second",
                    "**Nearly:** “{choice}” comes second, {choice_weight}. Because the English article looks the same "
                    "before every noun, it cannot decide between “le” and “la”.",
                    **choice,
                )
            case "nearly", True:
                return say(
                    "lesson.attention-ribbons.because.second-own",
                    "**Nearly:** “{choice}” comes second, {choice_weight}.",
                    **choice,
                )
            case "nearly", _:
                return say(
                    "lesson.attention-ribbons.because.near",
                    "**Nearly:** “{choice}” gets {choice_weight}, “{key}” {weight}.",
                    **values,
                    **choice,
                )
        return say(
            "lesson.attention-ribbons.because.other",
            "“{choice}” gets {choice_weight} here, “{key}” {weight}. Because a bar is always 1, what one word gets "
            "the others cannot.",
            **values,
            **choice,
        )

    return {option: reason(option) for option in result.strongest.options}


def _is_noun_of_article(result: RibbonOutcome, trace: Trace, key: int) -> bool:
    """Whether the place is that of an article, and one of the two tokens after it reads `key` most, too."""
    if trace.next_tokens[result.place].strip().casefold() not in ARTICLES:
        return False
    word = trace.source_tokens[key].strip().casefold()
    following = result.weights[result.place + 1 : result.place + 3].argmax(axis=1)
    return word.isalpha() and word not in ENGLISH_ARTICLES and key in following


def query_reasons(result: AddedScoreOutcome, key: str) -> Mapping[str, str]:
    """Return the reason for each option about one added score."""
    figures = result.others.figures
    values = {name: three_digits(figures[name]) for name in ("before", "after")}
    factor = f"\u00d7\u00a0{three_digits(figures['factor'])}"
    small = (
        say(
            "lesson.inside-one-query.because.small-own",
            "**Not only the small ones.** Because softmax divides every weight by the same sum, the largest of the "
            "others shrinks by {factor}, and so does the smallest.",
            factor=factor,
        )
        if result.before.argmax() == result.key
        else say(
            "lesson.inside-one-query.because.small",
            "**Not only the small ones.** Because softmax divides every weight by the same sum, the largest shrinks by "
            "{factor}, and so does the smallest.",
            factor=factor,
        )
    )
    return {
        "stay": say(
            "lesson.inside-one-query.because.stay",
            "**They cannot stay.** Because the weights sum to 1: “{key}” went from {before} to {after}, and the others "
            "paid for it.",
            key=key,
            **values,
        ),
        "factor": say(
            "lesson.inside-one-query.because.factor",
            "**Yes, all by {factor}.** Because softmax divides every weight by the same sum, and only that sum has "
            "changed.",
            factor=factor,
        ),
        "small": small,
    }


def head_reasons(result: AveragedHeadsOutcome, opening: AveragedHeadsOutcome) -> Mapping[str, str]:
    """Return the reason for each option about averaged heads; `opening` is of the lesson's own sentence."""
    loss, ours = result.loss, opening.loss.figures
    ratio, ratio_of_ours = (each["after"] / each["before"] for each in (loss.figures, ours))
    values = {name: three_digits(loss.figures[name]) for name in ("before", "after")} | {"ratio": three_digits(ratio)}
    fixed = {name: three_digits(ours[name]) for name in ("before", "after")}
    if loss.right == "same":
        held = say(
            "lesson.inside-heads.because.same-right",
            "**As predicted:** {before} to {after}. On this sentence the mean is enough; on the lesson’s own it is not "
            "({our_before} to {our_after}).",
            **values,
            our_before=fixed["before"],
            our_after=fixed["after"],
        )
    elif loss.right == "double":
        held = say(
            "lesson.inside-heads.because.double-right",
            "**As predicted,** {ratio} times. On the lesson’s own sentence it is {ours} times.",
            ratio=values["ratio"],
            ours=round(ratio_of_ours),
        )
    else:
        held = say(
            "lesson.inside-heads.because.more",
            "**Yes, {ratio} times.** Because eight heads read eight different things, and their mean reads a little "
            "of each.",
            ratio=values["ratio"],
        )

    def reason(option: str) -> str:
        if option == loss.right:
            return held
        if option in loss.near:
            bound = SAME if "same" in (option, loss.right) else DOUBLE
            return say(
                "lesson.inside-heads.because.near",
                "**Nearly:** from {before} to {after}, {ratio} times. Because that is so close to {bound} times, "
                "either answer holds.",
                **values,
                bound=three_digits(bound),
            )
        order = loss.options.index(option) - loss.options.index(loss.right)
        if order > 0:
            return say(
                "lesson.inside-heads.because.less",
                "**Less:** from {before} to {after}, {ratio} times. On the lesson’s own sentence it is {ours} times.",
                **values,
                ours=round(ratio_of_ours),
            )
        if option == "same":
            return say(
                "lesson.inside-heads.because.same",
                "It goes from {before} to {after}. Because the heads of a layer read different words, their mean is "
                "like none of them.",
                **values,
            )
        return say(
            "lesson.inside-heads.because.double",
            "**More:** from {before} to {after}, {ratio} times. Because the layer was trained to use what its heads do "
            "differently.",
            **values,
        )

    return {option: reason(option) for option in loss.options}


def limit_reasons(result: HiddenKeyOutcome, key: str) -> Mapping[str, str]:
    """Return the reason for each option about a ribbon that is cut; `key` is the one that is hidden."""
    word = result.word
    stay, places = (round(word.figures[name]) for name in ("stay", "places"))
    counts = {"chosen": shown_token(result.chosen), "key": key, "stay": stay, "places": places}
    if word.right == "changes":
        held = say(
            "lesson.attention-limits.because.changes-right",
            "**As predicted:** it writes “{chosen}”. Here layer 4 was needed; elsewhere in this sentence the word "
            "stays at {stay} of {places} places.",
            **counts,
        )
        missed = say(
            "lesson.attention-limits.because.stays-missed",
            "It writes “{chosen}”. Here layer 4 was needed; elsewhere in this sentence the word stays at {stay} of "
            "{places} places.",
            **counts,
        )
    else:
        every = bool((result.others > 1 / result.weights.shape[1]).all())
        held = (
            say(
                "lesson.attention-limits.because.stays",
                "**Yes,** it still writes “{chosen}”. Because the other layers read “{key}” too: the word stays at "
                "{stay} of {places} places.",
                **counts,
            )
            if every
            else say(
                "lesson.attention-limits.because.stays-own",
                "**Yes,** it still writes “{chosen}”. The word stays at {stay} of {places} places.",
                **counts,
            )
        )
        changed = counts | {"changed": places - stay}
        missed = (
            say(
                "lesson.attention-limits.because.changes",
                "It still writes “{chosen}”. Because one layer is not the only reader, cutting its thickest ribbon "
                "changes the word at {changed} of {places} places only.",
                **changed,
            )
            if 2 * stay >= places
            else say(
                "lesson.attention-limits.because.changes-own",
                "It still writes “{chosen}”, though cutting the thickest ribbon changes the word at {changed} of "
                "{places} places. Because one layer is not the only reader, each place has to be tried.",
                **changed,
            )
        )
    nearly = say(
        "lesson.attention-limits.because.nearly",
        "**Nearly tied:** the probabilities of the best two tokens differ by less than {margin}. Because so little "
        "separates them, either answer holds.",
        margin=three_digits(NEAR_PROBABILITY),
    )
    return {
        option: held if option == word.right else nearly if option in word.near else missed for option in word.options
    }
