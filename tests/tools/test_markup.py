"""Markdown in translations that would not render is found."""

import pytest

from tools import markup

TERMS = {"token"}


@pytest.mark.parametrize(
    "text",
    [
        "**토큰**은 *어텐션*을 봅니다.",
        "**굵게**는, **(괄호)** 뒤, ***둘 다***와",
        "2 * 3, `a**b`, $a * b$는, \\*별\\*표",
        "* 하나\n* 둘",
        "**{name}**는 [토큰](term:token)입니다. 3~5개",
        "$$W^Q * x$$\n\n**`code`**",
    ],
)
def test_what_renders_has_no_problem(text):
    assert markup.problems(text, TERMS) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('**"굵게"**는 됩니다.', 2),
        ("**어텐션(attention)**은", 2),
        ("**`code`**는", 2),
        ("*열린 채", 1),
        ("닫힌 채*", 1),
        ("**한 문단\n\n다른 문단**", 2),
        ("[토큰](term:tokens)", 1),
        ("[토큰] (term:token)", 1),
        ("[토큰](term:token 뒤", 1),
        ("3~5개와 7~9개", 1),
    ],
)
def test_what_does_not_render_is_found(text, count):
    assert len(markup.problems(text, TERMS)) >= 1
    if "term" not in text:
        assert len(markup.problems(text, TERMS)) == count


def test_the_place_is_quoted():
    assert markup.problems('앞에 있는 **"굵게"**는', TERMS)[-1].endswith("is not rendered as emphasis")
