"""The reasons of all options: what they state agrees with the verdict, on the lesson's own sentence and on others.

The numbers are read from the sentence as a user reads it, and the right option is found anew from them.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from model.course.outcome import AskedOutcome
from model.course.stream_outcomes import words_of
from pages.lessons import attention_lessons
from pages.lessons.lesson_parts import LessonInput
from tests.pages.lessons.conftest import content, inputs
from views.components.course_lesson import split_lead
from views.lessons import BY_ID

FOLDER = Path(attention_lessons.__file__).parent
WORDS = {"token", "key", "choice", "chosen", "text", "numbers", "short", "long"}  # values that are no numbers
NUMBER = r"[+\u2212\u00d7<\d][\d.,e\u2212\u00d7\u00a0%]*"
Values = dict[str, str]


def templates(id: str) -> dict[str, str]:
    """Return the English texts of a lesson's reasons, by the end of their ids."""
    begin, found = f"lesson.{id}.because.", {}
    for path in FOLDER.glob("*_lessons.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                name, *text = (argument.value for argument in node.args if isinstance(argument, ast.Constant))
                if isinstance(name, str) and name.startswith(begin):
                    (found[name.removeprefix(begin)],) = text
    return found


def read(id: str, text: str) -> tuple[str, Values]:
    """Return which of the reasons a sentence is, and the values in it."""
    matches = []
    for name, template in templates(id).items():
        pattern = re.sub(
            r"\\\{(\w+)\\\}",
            lambda match: f"(?P<{match[1]}>{'.+?' if match[1] in WORDS else NUMBER})",
            re.escape(template),
        )
        if match := re.fullmatch(pattern, text):
            matches.append((name, match.groupdict()))
    assert len(matches) == 1, (text, matches)
    return matches[0]


def number(text: str) -> float:
    """Return the number that a user reads."""
    plain = re.sub(r"[\u00d7\u00a0%,]", "", text.strip("."))
    return float(plain.replace("\u2212", "-"))


def bucket(ratio: float) -> str:
    return "same" if ratio <= 1.1 else "double" if ratio <= 2 else "more"


def right_order(lesson: LessonInput, values: Values) -> str:
    """Compare the translation that a reason quotes with the one with positions."""
    first, quoted = lesson.trace().target_text, values["text"]
    if quoted == first:
        return "same"
    return (
        "order"
        if sorted(map(str.casefold, words_of(first))) == sorted(map(str.casefold, words_of(quoted)))
        else "words"
    )


def larger(values: Values) -> str:
    return "self" if number(values["attention"]) >= number(values["feed_forward"]) else "ffn"


# lesson -> the right option, found from the numbers of one reason; None where it does not state enough
RIGHT: dict[str, Callable[[LessonInput, Values], str | None]] = {
    "tokens-step-by-step": lambda _, values: (
        "never" if "start" in values and number(values["start"]) != 1 else "first" if "start" in values else None
    ),
    "history-one-word": lambda _, values: min(
        ("90", "75", "60"), key=lambda option: abs(int(option) - number(values["percent"]))
    ),
    "inside-one-query": lambda _, values: "factor" if "factor" in values and number(values["factor"]) < 1 else None,
    "positions-table": right_order,
    "inside-heads": lambda _, values: bucket(
        number(values["ratio"]) if "ratio" in values else number(values["after"]) / number(values["before"])
    ),
    "masks-causality": lambda _, values: "none" if number(values.get("masked", "0")) == 0 else "all",
    "inside-add-norm": lambda _, values: larger(values),
    "vision-cls": lambda _, values: "none" if number(values.get("without", "0")) <= 1e-4 else "little",
    "attention-limits": lambda lesson, values: (
        None if "chosen" not in values else "stays" if values["chosen"] == hidden_token(lesson) else "changes"
    ),
}


def hidden_token(lesson: LessonInput) -> str:
    """Return the token that is written where the strongest ribbon of all is."""
    trace = lesson.trace()
    place = int(trace.cross_attention[3].mean(axis=0).max(axis=1).argmax())
    return trace.next_tokens[place].strip()


def check_numbers(lesson: LessonInput, option: str, verdict: str, values: Values) -> None:
    """Compare the numbers of one reason with each other, and with those of the trace."""
    figures = {name: number(value) for name, value in values.items() if name not in WORDS}
    if {"before", "after", "ratio"} <= set(figures):
        assert figures["ratio"] == pytest.approx(figures["after"] / figures["before"], rel=0.02)
    if lesson.id == "attention-ribbons" and "choice_weight" in figures and "weight" in figures:
        assert figures["choice_weight"] < figures["weight"] and verdict != "held"
        assert (figures["choice_weight"] >= figures["weight"] / 3 - 0.05) or verdict == "not"
    if lesson.id == "loss-tokens":
        for loss, p in (("loss", "p"), ("choice_loss", "choice_p")):
            if loss in figures and p in figures:
                assert figures[p] == pytest.approx(math.exp(-figures[loss]), rel=0.02)
        if {"loss", "choice_loss"} <= set(figures):
            assert figures["choice_loss"] <= figures["loss"] and verdict == "nearly"
    if lesson.id == "decoding-step" and figures:
        assert figures["after"] < figures["before"] and figures["rest"] == 7999
    if lesson.id == "inside-one-query" and "before" in figures:
        assert figures["after"] > figures["before"]
    if lesson.id == "vision-cls" and "with_positions" in figures:
        assert option == ("lot" if figures["with_positions"] > 0.1 else "little")
    if lesson.id == "masks-causality" and "unmasked" in figures:
        assert figures["unmasked"] > 0.01
    if "stay" in figures or "changed" in figures:
        assert 0 < figures.get("stay", figures.get("changed", 0)) < figures["places"]


@pytest.mark.parametrize("id", BY_ID)
def test_what_a_reason_states_agrees_with_its_verdict(id):
    for lesson in inputs(id):
        ask = content(lesson).ask
        outcome = AskedOutcome(ask.right, tuple(ask.because), ask.near)
        assert set(outcome.options) >= {ask.right, *ask.near, *ask.options}
        for option, text in ask.because.items():
            verdict, (_, values) = outcome.verdict(option), read(id, text)
            lead = split_lead(text)[0]
            assert lead.startswith(("Yes", "As predicted")) == (verdict == "held"), text
            assert lead.startswith(("Nearly", "Both")) == (verdict == "nearly"), text
            right = RIGHT.get(id, lambda *_: None)(lesson, values)
            assert right in (None, ask.right) or option in ask.near, (text, right, ask.right)
            check_numbers(lesson, option, verdict, values)


def test_every_lesson_has_a_reason_for_each_option_of_its_own_sentence():
    assert len({id for id in BY_ID if len(templates(id)) >= 3}) == 12
    for id in BY_ID:
        names = {read(id, text)[0] for text in content(inputs(id)[0]).ask.because.values()}
        assert names <= set(templates(id)) and len(names) >= 2


def test_first_words_are_apart_from_the_reason():
    assert split_lead("**Yes:** it is. Because.") == ("Yes:", "it is. Because.")
    assert split_lead("\u201c**\u201d gets **0.1**") == ("", "\u201c**\u201d gets **0.1**")
