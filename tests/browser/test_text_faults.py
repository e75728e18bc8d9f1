"""The search for faults of Korean texts finds cut, overlapping, unrendered and English ones, and nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.text_faults import has_word_twice, is_latin, language_faults, text_faults

FRAME = "style='border: 1px solid; width: 60px; white-space: nowrap'"
AXIS = """<div class='js-plotly-plot'><svg width='200' height='120'>
    <g class='ytick'><text x='60' y='60'>5 sleeping</text></g>
    <text class='ytitle' transform='translate(60, 60) rotate(-90)' text-anchor='middle' y='{title}'>토큰</text>
</svg></div>"""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("가중치가 0.7이고 12 %는 \ufff9chat\ufffb이 봅니다.", 0),
        ("값 7는 크고 key을 봅니다.", 2),
        ("\ufff9chat\ufffb가 \ufff9le\ufffb로", 1),
        ("**4.8 %**까지", 2),
        ("{query:이/가} 봅니다", 2),
        ("\ufff9{query}\ufffb, \ufffc와", 0),
        ("그 토큰은(는)", 1),
        ("쌍 가운데 35.4 %쌍은", 1),
    ],
)
def test_language_faults(text: str, count: int):
    assert len(language_faults(text)) == count, language_faults(text)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Weights", True),
        ("가중치", False),
        ("Attention Atlas", False),
        ("Top-p\ufff90.9\ufffb", False),
        ("\ufff9chat\ufffb", False),
        ("d_k", False),
    ],
)
def test_headings_in_english(heading: str, expected: bool):
    assert is_latin(heading) == expected


@pytest.mark.parametrize(
    ("title", "expected"), [("Key: 영어 key 토큰", True), ("영어 key 토큰", False), ("PE(p) · PE(p + k)", False)]
)
def test_words_twice(title: str, expected: bool):
    assert has_word_twice(title) == expected


def test_every_script_is_drawn_with_a_font_of_a_package(page: Page):
    """An empty box has one width for every character; the letters of a font have several, or another one."""
    page.set_content("<canvas></canvas>")
    widths = r"""texts => texts.map((text) => {
        const drawn = document.querySelector("canvas").getContext("2d")
        drawn.font = "40px sans-serif"
        const draw = (text) => {
            drawn.clearRect(0, 0, 300, 150)
            drawn.fillText(text, 0, 100)
            return drawn.canvas.toDataURL()
        }
        return draw(text) === draw("\u{10fffd}")
    })"""
    assert page.evaluate(widths, ["가", "ก", "ع", "अ", "\u0378"]) == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"<div {FRAME}>칸보다 긴 설명입니다</div>", ["px beyond its box"]),
        ("<div style='overflow: hidden; width: 60px; white-space: nowrap'>칸보다 긴 설명입니다</div>", ["cut by"]),
        ("<div style='overflow: auto; width: 60px; white-space: nowrap'>옆으로 움직여 읽는 긴 설명입니다</div>", []),
        ("<p>위</p><p style='margin-top: -2.2em'>아래</p>", ["on another text"]),
        ("<p style='opacity: 0'>위</p><p style='margin-top: -2.2em'>아래</p>", []),
        ("<p>위</p><p style='margin-top: -2.2em; position: sticky; bottom: 0'>아래</p>", []),
        ("<p style='rotate: 90deg'>위</p><p style='margin-top: -2.2em'>아래</p>", []),
        ("<svg width='60' height='20'><text y='15'>그림보다 긴 설명입니다</text></svg>", ["cut by"]),
        (AXIS.format(title=-30), []),
        (AXIS.format(title=4), ["on the title of an axis: 토큰 | 5 sleeping"]),
        ("<h2>English heading</h2>", ["heading without Korean"]),
        ("<div class='query-axis'>Query: 영어 query 토큰</div>", ["a word twice"]),
        ("<p>값 <b data-said='number'>7</b>는 <code>x</code>을</p>", ["7는", "x을"]),
        ("<p>문장 하나입니다.</p><p>다음 문장입니다.</p>", []),
        ("<p style='width: 60px'>모두 100 %입니다. 나머지는 없습니다.</p>", ["inside a word: 모두 100 %|입니다."]),
        ("<p style='width: 60px'>모두 100 %\u2060입니다. 나머지는<br>없습니다.</p>", []),
    ],
)
def test_faults_of_a_page(page: Page, content: str, expected: list[str]):
    page.set_content(f'<section data-testid="stMain" style="word-break: keep-all">{content}</section>')
    found = text_faults(page)
    assert len(found) == len(expected), found
    assert all(part in fault for part, fault in zip(expected, found, strict=True)), found
