"""A lesson of the course: a figure, a prediction in it, why it holds or does not, and a last question.

Everything is in the payload, so that an answer needs no request; only the browser stores what was predicted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..controls import sentence_input
from ..lessons import lesson_address
from ..text.catalogue import Message
from . import component

END = "end"  # in place of a lesson's id
WORDS = {
    "lessons": Message("course.lessons", "Lessons"),
    "place": Message("course.place", "Lesson {number} of {all}"),
    "done": Message("course.done", "done"),
    "next": Message("course.next", "Next: {name}"),
    "end": Message("course.end", "What you predicted and found"),
    "note": Message("course.note", "Note your own reason"),
    "more": Message("course.more", "More about this"),
    "misconception": Message("course.misconception", "A common mistake:"),
    "held": Message("course.held", "As predicted."),
    "nearly": Message("course.nearly-so", "Nearly."),
    "not": Message("course.not", "Not as predicted."),
    "yours": Message("course.yours-marked", "your prediction"),
    "right": Message("course.right-one", "right"),
    "ended": Message("course.ended", "You made {count} of {all} predictions; {held} came true."),
    "nothing": Message("course.nothing", "You have made no prediction yet: open a lesson."),
    "ways": Message("course.ways", "Three ways on"),
}

_MOUNT = component.Component("course_lesson", "course-root")


@dataclass(frozen=True)
class CourseQuestion:
    """A question of a lesson."""

    text: str  # the question
    right: str  # the option that holds
    found: str  # what came out, as one or two sentences, for options without a reason
    near: frozenset[str] = frozenset()  # options that are nearly tied with it
    # id -> label of buttons; without any, an option is picked in the figure
    options: Mapping[str, str] = field(default_factory=dict)
    # option -> what came out and why, for who chose it; its first words may be between two `**`
    because: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LessonView:
    """What one lesson shows."""

    lesson: str  # its id; `END` for the end of the course
    lessons: Mapping[str, str]  # id -> title of all lessons
    aim: str = ""  # what it is about
    # SVG before the prediction, after it, and after the last question, if that is another one
    figures: Sequence[str] = ()
    # `ask`, `last`: the prediction and the last question; None at the end of the course
    ask: CourseQuestion | None = None
    last: CourseQuestion | None = None
    misconception: str = ""  # a common mistake, and what is right
    links: Sequence[tuple[str, str]] = ()  # label and address of the parts where more can be seen, or of the ways on


def payload(view: LessonView) -> dict[str, object]:
    """The fields that the script reads."""
    return {
        "lesson": view.lesson,
        "lessons": [(id, title, lesson_address(id)) for id, title in view.lessons.items()],
        "end": lesson_address(END),
        "aim": view.aim,
        "figures": list(view.figures),
        "ask": _question(view.ask),
        "last": _question(view.last),
        "misconception": view.misconception,
        "links": [{"label": label, "address": address} for label, address in view.links],
        "theme": sentence_input.theme(),
        "words": component.translated(WORDS),
    }


def _question(question: CourseQuestion | None) -> dict[str, object] | None:
    if question is None:
        return None
    return {
        "text": question.text,
        "right": question.right,
        "near": sorted(question.near),
        "found": question.found,
        "options": list(question.options.items()),
        "because": {option: split_lead(text) for option, text in question.because.items()},
    }


def split_lead(text: str) -> tuple[str, str]:
    """The first words of a reason, empty if none are marked, and the others."""
    lead = text.removeprefix("**") if text.startswith("**") else ""
    return (lead.partition("**")[0], lead.partition("**")[2].strip()) if "**" in lead else ("", text)


def course_lesson(view: LessonView, key: str) -> None:
    """Mount it."""
    _MOUNT(key, payload(view))
