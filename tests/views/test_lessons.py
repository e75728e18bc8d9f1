"""The lessons: every one is an existing part with an experiment of its own."""

import html
import json
import re
from pathlib import Path

import pytest

from tests.every_view import PARTS
from views import lessons
from views.text import prose

PAGES = Path(__file__).resolve().parents[2] / "pages"


@pytest.mark.parametrize("lesson", lessons.LESSONS, ids=lambda lesson: lesson.experiment)
def test_a_lesson_is_a_part_with_an_experiment(lesson):
    key, parts = PARTS[lesson.page]
    assert lesson.key == key and lesson.part in parts
    assert lesson.first == (parts[0] == lesson.part)
    assert prose.has("experiments", lesson.experiment) and prose.has("experiments", f"{lesson.experiment}-found")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (PAGES / lesson.page).glob("*.py"))
    assert f'render_experiment("{lesson.experiment}"' in re.sub(r"\(\s+", "(", sources)


def test_no_lesson_is_repeated():
    assert len({lesson.experiment for lesson in lessons.LESSONS}) == len(lessons.LESSONS) == 11


def test_data_for_the_script():
    (content,) = re.findall(r'data-lessons="(.*?)"', lessons.script_data())
    data = json.loads(html.unescape(content))
    assert [each["name"] for each in data["lessons"]][:3] == ["Before the Transformer", "Sizes", "Tokens"]
    assert data["lessons"][1] == {
        "page": "tokens",
        "key": "part",
        "part": "sizes",
        "first": False,
        "query": "part=sizes",
        "experiment": "tokens-sizes",
        "name": "Sizes",
    }
    assert data["words"]["place"] == "{number} of {all}: {name}"
