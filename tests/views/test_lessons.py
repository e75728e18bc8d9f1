"""The lessons: every one leads to an existing part, and ids of earlier versions stay."""

import html
import json
import re

import pytest

from tests.every_view import PARTS
from views import lessons

FORMER = {  # ids that browsers have stored; `tokens-sizes` opens the lesson about tokens
    "history-one-word",
    "tokens-step-by-step",
    "positions-table",
    "inside-one-query",
    "inside-heads",
    "masks-causality",
    "inside-add-norm",
    "decoding-step",
    "loss-tokens",
    "vision-cls",
}


@pytest.mark.parametrize("lesson", lessons.LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_leads_to_an_existing_part(lesson):
    key, parts = PARTS[lesson.page]
    assert lesson.key in ("", key) and (not lesson.key or lesson.part in parts)
    assert lesson.first == (bool(lesson.key) and parts[0] == lesson.part)
    assert lesson.address == (f"{lesson.page}?{key}={lesson.part}" if lesson.key else lesson.page)


def test_there_are_twelve_lessons_and_former_ids_stay():
    assert len({lesson.id for lesson in lessons.LESSONS}) == len(lessons.LESSONS) == 12
    assert set(lessons.BY_ID) > FORMER


def test_the_words_of_the_skip_link():
    assert lessons.skip_data().startswith("<style data-skip-to-lesson='Skip to the lesson'>")


def test_data_for_the_script():
    (content,) = re.findall(r"data-lessons='(.*?)'", lessons.script_data("masks"))
    data = json.loads(html.unescape(content))
    assert data["lessons"] == [
        {
            "id": "masks-causality",
            "number": 7,
            "page": "masks",
            "key": "masks",
            "part": "causality",
            "first": False,
            "name": "The mask",
            "address": "lessons?lesson=masks-causality",
        }
    ]
    assert data["all"] == 12
    assert data["words"]["place"] == "Back to lesson {number} of {all}: {name}"
