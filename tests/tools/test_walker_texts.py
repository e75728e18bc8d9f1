"""The texts by which the walk recognises a part are texts of the app: a reworded one fails here, not after an hour."""

from pathlib import Path

import pytest

from tests.browser.walker import ONLY_HERE
from tools.messages import texts_of_the_code

PROSE = " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in Path("assets/text/en").glob("*.md"))
MESSAGES = "\n".join(str(message.id) for message in texts_of_the_code())
TEXTS = [
    pytest.param(selector.removeprefix("text="), id=f"{page}/{part}")
    for page, parts in ONLY_HERE.items()
    for part, selector in parts.items()
    if selector.startswith("text=")
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_part_is_recognised_by_a_text_of_the_app(text):
    words = text.split("\u27e7")[0].rstrip(" ,")  # the pseudo-language's closing bracket
    assert words in MESSAGES or words in PROSE
