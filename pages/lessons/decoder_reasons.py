"""Why each option of a lesson about the decoder holds or does not."""

from collections.abc import Mapping

import numpy as np

from model import Trace
from model.course.decoder_outcomes import LossOutcome, ReplacedTokenOutcome, TemperatureOutcome
from pages.lessons.lesson_parts import token_of
from views.text.catalogue import say
from views.text.numbers import grouped, percent, three_digits


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
