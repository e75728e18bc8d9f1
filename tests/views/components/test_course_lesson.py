"""The payload of a lesson."""

from __future__ import annotations

import pytest

from views.components import course_lesson
from views.components.course_lesson import END, CourseQuestion, LessonView


@pytest.fixture(autouse=True)
def light(monkeypatch):
    monkeypatch.setattr(course_lesson.sentence_input, "theme", lambda: "light")


def test_a_question_is_sent_with_its_answer():
    options = {"a": "A", "b": "B", "c": "C"}
    ask = CourseQuestion(
        "Which?", "b", "It is b.", frozenset({"c", "a"}), options, {"a": "**Not a.** Because.", "b": "B"}
    )
    sent = course_lesson.payload(LessonView("x", {"x": "First"}, "aim", ("<svg/>",), ask, None, "no", [("More", "y")]))
    assert sent["ask"] == {
        "text": "Which?",
        "right": "b",
        "near": ["a", "c"],
        "found": "It is b.",
        "options": [("a", "A"), ("b", "B"), ("c", "C")],
        "because": {"a": ("Not a.", "Because."), "b": ("", "B")},
    }
    assert sent["lessons"] == [("x", "First", "lessons?lesson=x")] and sent["end"] == "lessons?lesson=end"
    assert sent["links"] == [{"label": "More", "address": "y"}] and sent["last"] is None


def test_the_end_has_no_question():
    sent = course_lesson.payload(LessonView(END, {"x": "First"}, links=[("On", "circuits")]))
    assert (sent["lesson"], sent["ask"], sent["figures"]) == (END, None, [])
