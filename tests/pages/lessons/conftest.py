"""The lessons' content without a page: each with its own sentence, and with those of a user."""

from __future__ import annotations

from functools import cache

from model.course import sentences
from pages.lessons.lesson_parts import LessonContent, LessonInput
from pages.lessons.page import CONTENTS
from pages.shared.models import load_service
from views.controls import samples

OWN = ("No.", "I want to buy a car.")  # on which other options are right than on the lessons' own sentences


def inputs(id: str) -> list[LessonInput]:
    """Return a lesson's own sentence and two others; or three pictures."""
    service = load_service()
    if id not in sentences.FIXED:
        names = [sentences.PICTURE, *(name for name in samples.NAMES if name != sentences.PICTURE)]
        return [LessonInput(id, service, "", False, name) for name in names[:3]]
    fixed = LessonInput(id, service, sentences.FIXED[id], False)
    return [fixed, *(LessonInput(id, service, text, True) for text in OWN)]


def content(lesson: LessonInput) -> LessonContent:
    """Return what a lesson shows, once for all tests."""
    return _content(lesson.id, lesson.text, lesson.own, lesson.picture)


@cache
def _content(id: str, text: str, own: bool, picture: str) -> LessonContent:
    return CONTENTS[id](LessonInput(id, load_service(), text, own, picture))
