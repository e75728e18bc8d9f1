"""What the lessons share: texts, questions, and the inputs that they read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from model import DecodingOptions, Trace
from model.course import sentences
from model.course.outcome import AskedOutcome
from pages.shared.service import Service
from pages.shared.texts import block
from views.components.course_lesson import CourseQuestion
from views.svg.course_parts import shown_token
from views.text import glossary

PAGE = "lessons"
LAYER = 3  # of cross-attention, from 0: the stage opens with it
MOST_TOKENS = 32  # of a sentence that a figure can draw


@dataclass(frozen=True)
class LessonInput:
    """What a lesson reads."""

    id: str  # of the lesson
    service: Service  # the translator
    text: str  # the sentence
    own: bool  # whether it is the user's
    picture: str = sentences.PICTURE  # name of a sample

    def trace(self) -> Trace:
        """Return the trace of the sentence and its greedy translation."""
        return self.service.trace(self.text, DecodingOptions())

    def opening(self) -> "LessonInput":
        """Return the same lesson with the sentence with which it opens."""
        return replace(self, text=sentences.FIXED[self.id], own=False)

    def compute(self, function, *arguments):
        """Return `function(network, *arguments)`, cached for this lesson and sentence."""
        return self.service.lesson(("course", self.id, self.text), function, *arguments)

    def block(self, part: str, **values: object) -> str:
        """Return a text of the lesson without marks."""
        return glossary.plain_text(block(PAGE, f"{self.id}-{part}", **values))


@dataclass(frozen=True)
class LessonContent:
    """A lesson's figures and questions; `figures` are those of `LessonView`."""

    aim: str
    figures: tuple[str, ...]
    ask: CourseQuestion
    misconception: str
    last: CourseQuestion | None


def question(
    text: str, outcome: AskedOutcome, because: Mapping[str, str], options: Mapping[str, str] | None = None
) -> CourseQuestion:
    """Return the first question of a lesson, with a reason for each option; see `last_question`."""
    return CourseQuestion(text, outcome.right, "", outcome.near, options or {}, because)


def last_question(
    text: str, outcome: AskedOutcome, found: str, options: Mapping[str, str] | None = None
) -> CourseQuestion:
    """Return the last question of a lesson, with what came out; without `options` it is answered in the figure."""
    return CourseQuestion(text, outcome.right, found, outcome.near, options or {})


def figure_values(outcome: AskedOutcome, *names: str) -> dict[str, float]:
    """Return some figures of an outcome as values of a text."""
    return {name: float(outcome.figures[name]) for name in names}


def token_of(trace: Trace, place: int) -> str:
    """Return the token that is written at a place."""
    return shown_token(trace.next_tokens[place])


def key_of(trace: Trace, key: int) -> str:
    """Return a token that the encoder reads."""
    return shown_token(trace.source_tokens[key])
