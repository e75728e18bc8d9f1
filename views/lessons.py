"""The lessons: parts of the teaching pages in order, as data for the script that shows the progress bar.

A user starts them on the home page and leaves them with one click. Only the browser stores the progress:
`web/src/page/lessons.ts`. A lesson is done once its part's experiment has shown its result.
"""

import html
import json
from dataclasses import dataclass
from urllib.parse import urlencode

from .text.catalogue import Message


@dataclass(frozen=True)
class Lesson:
    """One part of a page.

    Attributes:
        page: its path.
        key, part: the setting that opens the part, and its value.
        experiment: id of the experiment that is proposed there.
        name: its title.
        first: the part is open by default, so that a URL need not name it.
    """

    page: str
    key: str
    part: str
    experiment: str
    name: Message
    first: bool = False


LESSONS = (
    Lesson("history", "part", "one-word", "history-one-word", Message("lesson.before", "Before the Transformer"), True),
    Lesson("tokens", "part", "sizes", "tokens-sizes", Message("lesson.sizes", "Sizes")),
    Lesson("tokens", "part", "step-by-step", "tokens-step-by-step", Message("lesson.tokens", "Tokens"), True),
    Lesson("positions", "facet", "table", "positions-table", Message("lesson.positions", "Positions"), True),
    Lesson("inside", "inside", "one-query", "inside-one-query", Message("lesson.query", "One query")),
    Lesson("inside", "inside", "heads", "inside-heads", Message("lesson.heads", "Heads")),
    Lesson("masks", "masks", "causality", "masks-causality", Message("lesson.masks", "Masks")),
    Lesson("inside", "inside", "add-norm", "inside-add-norm", Message("lesson.layer", "A whole layer")),
    Lesson("decoding", "part", "step-by-step", "decoding-step", Message("lesson.decoder", "Decoding"), True),
    Lesson("loss", "part", "token-by-token", "loss-tokens", Message("lesson.loss", "Loss"), True),
    Lesson("vision", "view", "cls", "vision-cls", Message("lesson.vision", "Vision")),
)
PAGES = frozenset(lesson.page for lesson in LESSONS)
WORDS = {
    "lessons": Message("lessons", "Lessons"),
    "place": Message("lessons.place", "{number} of {all}: {name}"),
    "away": Message("lessons.away", "Go on with {number} of {all}: {name}"),
    "task": Message("lessons.task", "Try it here"),
    "done": Message("lessons.done", "Done"),
    "back": Message("lessons.back", "Back"),
    "next": Message("lessons.next", "Next"),
    "leave": Message("lessons.leave", "Leave"),
}


def script_data() -> str:
    """The lessons and the script's words in the user's language, as hidden HTML that the script reads."""
    lessons = [
        {
            "page": lesson.page,
            "key": lesson.key,
            "part": lesson.part,
            "first": lesson.first,
            "query": urlencode({lesson.key: lesson.part}),
            "experiment": lesson.experiment,
            "name": lesson.name(),
        }
        for lesson in LESSONS
    ]
    words = {name: message() for name, message in WORDS.items()}
    return f'<span hidden data-lessons="{html.escape(json.dumps({"lessons": lessons, "words": words}))}"></span>'
