"""Korean texts and the Korean README: the terms of docs/korean-terms.md, and particles that follow values."""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from views.text.catalogue import TEXT

TERMS = Path(__file__).resolve().parents[2] / "docs" / "korean-terms.md"
_FORMULA = re.compile(r"\$[^$]*\$")
# a placeholder without a pair of particles, marks around it, and a particle at the end of a word
_FIXED = re.compile(r"\{[^{}/]*\}[*_\u201d\"']*(?:으로|로|이|가|은|는|을|를|과|와)(?![가-힣])")
# what the table cannot say, for the word is right elsewhere
_SPELLED = {
    "layer alone is 레이어": re.compile(r"(?<![가-힣])(?<!포워드 )(?<!MLP )층(?! 정규화)"),
    "a space stands before 냇": re.compile(r"[\d}]\[?냇"),
    "a slider is moved, 움직이다": re.compile("슬라이더를 끄"),
    "no space stands between emphasis and its particle": re.compile(r"[^*\s]\*{1,2} (?:은|는|을|를|으로)(?![가-힣])"),
}
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
    ] + [rule for rule, pattern in _SPELLED.items() if pattern.search(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("교차 어텐션의 쿼리", 2),
        ("비교차 어텐션", 0),
        ("크로스 어텐션의 query", 0),
        ("층마다 본 CLS, {loss}냇", 2),
        ("층 {layer}에서 슬라이더를 끄는 동안", 2),
        ("*AER(검증)* 은 낮고 **굵게** 을", 1),
        ("피드 포워드 층의 출력층, 층 정규화, {loss} [냇](term:nats)", 0),
    ],
)
def test_violations_are_detected(text: str, count: int):
    assert len(violations(text)) == count


def test_the_table_rules_out_words():
    assert (
        rules()["교차 어텐션"] == ("cross-attention", "크로스 어텐션") and len(rules()) > 20 and "점수" not in rules()
    )


def test_korean_texts_use_the_terms():
    by_text = {name: problems for name, text in korean_texts().items() if (problems := violations(text))}
    assert not by_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{share}가 남고", ["{share}가"]),
        ("**{value}** 는, {key}를", ["{key}를"]),
        ("“{word}”으로.", ["{word}”으로"]),
        ("{share:이/가} {count}개로 {place}번째 {value}이고 {name}에서", []),
        ("$d_{k}$와", []),
    ],
)
def test_particles_of_one_form_after_a_value_are_detected(text: str, found: list[str]):
    assert fixed_particles(text) == found


def test_particles_after_values_follow_their_sound():
    by_text = {name: found for name, text in korean_texts().items() if (found := fixed_particles(text))}
    assert not by_text


def fixed_particles(text: str) -> list[str]:
    """Particles of one form after a placeholder, whose last sound is not known; see views/text/catalogue.py."""
    return _FIXED.findall(_FORMULA.sub("F", text))


@cache
def korean_texts() -> dict[str, str]:
    """Every Korean message by its id or English text, and every file of prose by its name."""
    with (TEXT / "ko" / "atlas.po").open("rb") as file:
        messages = read_po(file, locale="ko")
    texts = {message.context or str(message.id): "\n".join(_forms(message.string)) for message in messages}
    files = [*(TEXT / "ko").glob("*.md"), TERMS.parents[1] / "README.ko.md"]
    return texts | {path.name: path.read_text(encoding="utf-8") for path in files}


def _forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)
