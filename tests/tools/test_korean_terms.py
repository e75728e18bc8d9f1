"""Korean texts and the Korean README use the terms of docs/korean-terms.md: none of the words that it rules out."""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from views.text.catalogue import TEXT

TERMS = Path(__file__).resolve().parents[2] / "docs" / "korean-terms.md"
_ROW = re.compile(r"(?m)^\| (.+?) \| (.+?) \| (.*?) ?\|$")


@cache
def rules() -> dict[str, tuple[str, str]]:
    """Word that is ruled out -> English term and its Korean translation."""
    rows = _ROW.findall(TERMS.read_text(encoding="utf-8"))[2:]  # without the head of the table
    return {
        word.strip(): (english, korean)
        for english, korean, ruled_out in rows
        for word in ruled_out.partition(";")[0].split(",")
        if word.strip()
    }


def violations(text: str) -> list[str]:
    """What is written in `text` against the rules. A word counts from its beginning: Korean endings follow it."""
    return [
        f"{word}: {english} is {korean}"
        for word, (english, korean) in rules().items()
        if re.search(rf"(?<![가-힣]){re.escape(word)}", text)
    ]


@pytest.mark.parametrize(
    ("text", "count"), [("교차 어텐션의 쿼리", 2), ("비교차 어텐션", 0), ("크로스 어텐션의 query", 0)]
)
def test_violations_are_detected(text: str, count: int):
    assert len(violations(text)) == count


def test_the_table_rules_out_words():
    assert (
        rules()["교차 어텐션"] == ("cross-attention", "크로스 어텐션") and len(rules()) > 20 and "점수" not in rules()
    )


def test_korean_texts_use_the_terms():
    with (TEXT / "ko" / "atlas.po").open("rb") as file:
        messages = read_po(file, locale="ko")
    texts = {message.context or str(message.id): "\n".join(_forms(message.string)) for message in messages}
    files = [*(TEXT / "ko").glob("*.md"), TERMS.parents[1] / "README.ko.md"]
    texts |= {path.name: path.read_text(encoding="utf-8") for path in files}
    by_text = {name: problems for name, text in texts.items() if (problems := violations(text))}
    assert not by_text


def _forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)
