"""The lessons of the course: their ids, titles, and the parts of the pages that show more.

Only the browser stores which are done: `web/src/views/course_lesson.ts`. An id never changes. On the pages that
show more, `web/src/page/lessons.ts` shows a bar that leads back, for users who began with the lessons on the home page.
"""

import html
import json
from dataclasses import dataclass
from urllib.parse import urlencode

from .text.catalogue import Message, say


@dataclass(frozen=True)
class Lesson:
    """One lesson."""

    id: str  # in the address and in what a browser stores
    name: Message  # its title
    # `page`, `key`, `part`: where more is shown: a page, and the setting that opens a part of it; without a key the
    # page
    page: str
    key: str = ""
    part: str = ""
    first: bool = False  # the part is open by default, so that an address need not name it

    @property
    def address(self) -> str:
        """The address of the part that shows more."""
        return f"{self.page}?{urlencode({self.key: self.part})}" if self.key else self.page


LESSONS = (
    Lesson("attention-ribbons", Message("lesson.ribbons", "What attends to what"), "attention"),
    Lesson(
        "tokens-step-by-step", Message("lesson.tokens", "From words to vectors"), "tokens", "part", "step-by-step", True
    ),
    Lesson("history-one-word", Message("lesson.before", "One vector for a sentence"), "history", "part", "one-vector"),
    Lesson("inside-one-query", Message("lesson.query", "One query"), "inside", "inside", "one-query"),
    Lesson("positions-table", Message("lesson.positions", "Order matters"), "positions", "facet", "trained-model"),
    Lesson("inside-heads", Message("lesson.heads", "Many heads"), "heads"),
    Lesson("masks-causality", Message("lesson.masks", "The mask"), "masks", "masks", "causality"),
    Lesson("inside-add-norm", Message("lesson.layer", "A layer"), "inside", "inside", "add-norm"),
    Lesson(
        "decoding-step", Message("lesson.decoder", "Choosing the next token"), "decoding", "part", "step-by-step", True
    ),
    Lesson("loss-tokens", Message("lesson.loss", "Loss and training"), "loss", "part", "token-by-token", True),
    Lesson("vision-cls", Message("lesson.vision", "Pictures as sequences"), "vision", "view", "cls"),
    Lesson("attention-limits", Message("lesson.limits", "What attention does not show"), "circuits"),
)
PAGES = frozenset(lesson.page for lesson in LESSONS)
WORDS = {
    "lessons": Message("course.lessons", "Lessons"),
    "place": Message("lessons.back-to", "Back to lesson {number} of {all}: {name}"),
    "leave": Message("lessons.leave", "Leave"),
}
BY_ID = {lesson.id: lesson for lesson in LESSONS}


def lesson_address(id: str) -> str:
    """The address of a lesson, or of the end of the course."""
    return f"lessons?{urlencode({'lesson': id})}"


def skip_data() -> str:
    """The words of the link that skips the menu on the page of the lessons, for the script that makes it.

    As an attribute of a style sheet, see `script_data`.
    """
    text = html.escape(say("lessons.skip", "Skip to the lesson"))
    return f"<style data-skip-to-lesson='{text}'>.skip-to-lesson {{}}</style>"


def script_data(page: str) -> str:
    """The lessons that lead to a page, and the words of the bar in the user's language, for the script that reads them.

    As an attribute of a style sheet: Streamlit gives HTML of style sheets alone no place on the page.
    """
    lessons = [
        {
            "id": each.id,
            "number": number,
            "page": each.page,
            "key": each.key,
            "part": each.part,
            "first": each.first,
            "name": each.name(),
            "address": lesson_address(each.id),
        }
        for number, each in enumerate(LESSONS, 1)
        if each.page == page
    ]
    words = {name: message() for name, message in WORDS.items()}
    text = json.dumps({"lessons": lessons, "all": len(LESSONS), "words": words}, separators=(",", ":"))
    data = html.escape(text, quote=False).replace("'", "&#39;")  # its many double quotes stay short
    return f"<style data-lessons='{data}'>.lessons {{}}</style>"
