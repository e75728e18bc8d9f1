"""Lessons about the decoder: the mask, the next token, and the loss."""

from collections.abc import Mapping

import numpy as np

from model import Trace
from model.course import decoder_outcomes, sentences
from model.course.decoder_outcomes import LossOutcome, ReplacedTokenOutcome, TemperatureOutcome
from pages.lessons.lesson_parts import LessonContent, LessonInput, figure_values, last_question, question, token_of
from views import palette
from views.svg import course_sentences as figures
from views.svg.course_parts import shown_token
from views.text.catalogue import say
from views.text.numbers import grouped, percent, signed, three_digits


def mask(lesson: LessonInput) -> LessonContent:
    """The mask: a token of the decoder's input is replaced."""
    trace = lesson.trace()
    result = lesson.compute(decoder_outcomes.replace_token, trace)
    weights = trace.decoder_attention[-1].mean(axis=0, dtype=np.float64)  # (T, T)
    hue = palette.HUES["decoder"]
    links = [
        (query, int(key), float(weights[query, key]), hue)
        for query, key in zip(*np.nonzero(weights >= 0.15), strict=True)
        if query != key
    ]
    label = say("course.figure.mask", "The decoder's input from top to bottom, with arcs to earlier tokens")
    changes = [float(change) for change in result.masked]
    drawn = tuple(
        figures.arcs(trace.target_tokens, links, label, marked=result.position, changes=changes, covered=covered)
        for covered in (True, False)
    )
    options = {
        "none": say("course.mask.none", "None"),
        "one": say("course.mask.one", "The one before it"),
        "all": say("course.mask.all", "All"),
    }
    numbers = {str(place): grouped(round(number)) for place, number in enumerate(result.numbers)}
    counts = {name: round(result.hidden.figures[name]) for name in ("cells", "length")}
    token = shown_token(trace.target_tokens[result.position])
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(
            lesson.block("ask", number=result.position + 1, token=token), result.earlier, mask_reasons(result), options
        ),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", length=counts["length"]),
            result.hidden,
            lesson.block("last-found", cells=counts["cells"]),
            numbers,
        ),
    )


def next_token(lesson: LessonInput) -> LessonContent:
    """Choosing the next token: temperature, and beam search."""
    trace, service = lesson.trace(), lesson.service
    result = lesson.compute(lambda network: decoder_outcomes.heat(trace))
    beam = service.trace(lesson.text, sentences.BEAM)
    compared = decoder_outcomes.compare_beam(trace, beam)
    tokens = [each.token for each in result.row.top]
    hot = say("course.next.hot", "temperature 2")
    columns = {say("course.next.cold", "temperature 1"): list(result.before), hot: list(result.after)}
    label = say("course.figure.next", "The five most probable tokens of a place, at two temperatures")
    rest = say("course.next.rest", "{count} others", count=result.others)
    drawn = tuple(
        figures.two_columns(tokens, rest, columns, label, kind="decoder", covered=covered) for covered in (hot, "")
    )
    options = {
        "same": say("course.next.same", "It stays the same"),
        "reversed": say("course.next.reversed", "It is reversed"),
        "random": say("course.next.random", "It becomes random"),
    }
    answers = {
        "more": say("course.beam.more", "Yes"),
        "same": say("course.beam.same", "No, the same sentence"),
        "less": say("course.beam.less", "No, a less probable one"),
    }
    sums = {f"{name}_sum": signed(float(compared.figures[name])) for name in ("beam", "greedy")}
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(lesson.block("ask"), result.order, temperature_reasons(result), options),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", greedy=trace.target_text),
            compared,
            lesson.block("last-found", beam=beam.target_text, **sums),
            answers,
        ),
    )


def loss(lesson: LessonInput) -> LessonContent:
    """Loss and training: the most expensive token."""
    trace = lesson.trace()
    result = lesson.compute(lambda network: decoder_outcomes.largest_loss(trace))
    label = say("course.figure.loss", "The tokens of a translation with their -ln p in nats")
    terms = [float(term) for term in result.terms]
    drawn = tuple(
        figures.bar_rows(trace.next_tokens, terms, label, kind="decoder", language="fr", covered=covered, picks="ask")
        for covered in (True, False)
    )
    token = token_of(trace, int(result.largest.right))
    numbers = {str(place): three_digits(number) for place, number in enumerate(result.numbers)}
    length = len(terms)
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(lesson.block("ask"), result.largest, loss_reasons(result, trace)),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", token=token, length=length),
            result.halved,
            lesson.block("last-found", length=length, **figure_values(result.halved, "rise")),
            numbers,
        ),
    )


# Why each option of a lesson about the decoder holds or does not.


def mask_reasons(result: ReplacedTokenOutcome) -> Mapping[str, str]:
    """Return the reason for each option about earlier positions."""
    figures = result.earlier.figures
    return {
        "none": say(
            "lesson.masks-causality.because.none",
            "**Yes,** by exactly {masked}. Because an earlier position cannot read a later one, it cannot notice the "
            "change.",
            masked=three_digits(figures["masked"]),
        ),
        "one": say(
            "lesson.masks-causality.because.one",
            "**Not even that one.** Because it, too, stands before the changed token and the mask hides what comes "
            "after.",
        ),
        "all": say(
            "lesson.masks-causality.because.all",
            "**That happens without the mask,** by up to {unmasked}. Because with it every arc goes back, a change "
            "only moves forward.",
            unmasked=three_digits(figures["unmasked"]),
        ),
    }


def temperature_reasons(result: TemperatureOutcome) -> Mapping[str, str]:
    """Return the reason for each option about the order of five tokens."""
    values = {name: three_digits(result.order.figures[name]) for name in ("before", "after")}
    return {
        "same": say(
            "lesson.decoding-step.because.same",
            "**Yes.** Because all logits are divided by 2, the largest stays the largest; it falls from {before} to "
            "{after} since the other {rest} tokens share what it loses.",
            **values,
            rest=grouped(result.others + len(result.row.top) - 1),
        ),
        "reversed": say(
            "lesson.decoding-step.because.reversed",
            "**The order stays.** Because dividing by 2 keeps the larger number larger; only a negative temperature "
            "would turn it round.",
        ),
        "random": say(
            "lesson.decoding-step.because.random",
            "**Nothing is drawn here.** Because temperature only rescales the probabilities; chance comes in when one "
            "of them is drawn.",
        ),
    }


def loss_reasons(result: LossOutcome, trace: Trace) -> Mapping[str, str]:
    """Return the reason for each token."""
    largest = result.largest
    best = int(largest.right)
    values = {
        "token": token_of(trace, best),
        "loss": three_digits(float(result.terms[best])),
        "p": three_digits(float(np.exp(-result.terms[best]))),
    }

    def reason(option: str) -> str:
        cost = float(result.terms[int(option)])
        choice = {"choice": token_of(trace, int(option)), "choice_loss": three_digits(cost)}
        match largest.verdict(option):
            case "held":
                return say(
                    "lesson.loss-tokens.because.right",
                    "**Yes:** {loss}, {share} of the sum. Because its probability was the lowest, {p}.",
                    **values,
                    share=percent(float(largest.figures["share"])),
                )
            case "nearly":
                return say(
                    "lesson.loss-tokens.because.second",
                    "**Nearly:** “{choice}” costs {choice_loss}. Because “{token}” was even less probable, {p}, it "
                    "costs more, {loss}.",
                    **values,
                    **choice,
                )
        return say(
            "lesson.loss-tokens.because.other",
            "“{choice}” costs only {choice_loss}. Because its probability was {choice_p}; the cost depends on that "
            "alone, not on length or meaning.",
            **choice,
            choice_p=three_digits(float(np.exp(-cost))),
        )

    return {option: reason(option) for option in largest.options}
