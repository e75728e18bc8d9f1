"""Programs as HTML: every character stays, and what is not a program is not marked."""

import html
import re

import pytest

from views.html.program import message_html, program_html

PROGRAM = '''sentence = "a <b> & 'c'"  # yours
for token in f(sentence, 1e-5):
    print(token, """two
lines""")'''


def code_of(content: str) -> str:
    """The content of the only program."""
    (code,) = re.findall(r"<pre[^>]*><code[^>]*>(.*)</code></pre>", content, re.DOTALL)
    return code


def marked(content: str, kind: str) -> list[str]:
    """The texts of all elements of a kind."""
    texts = re.findall(f'<span class="aa-{kind}">(.*?)</span>', code_of(content), re.DOTALL)
    return [html.unescape(text) for text in texts]


def test_keywords_literals_and_comments_are_marked():
    content = program_html(PROGRAM, "The same")
    assert marked(content, "keyword") == ["for", "in"]
    assert marked(content, "comment") == ["# yours"]
    assert marked(content, "literal") == ["\"a <b> & 'c'\"", "1e-5", '"""two\nlines"""']


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM,
        "",
        "\n\n  x = 1",
        "word = '\u00e9\u0301 \U0001f600 \\n'  # yours\nlast = 2",
        "text = 'ends nowhere",
        "if x:\n        y\n  z ' <i>",
        "(((",
        "a\r\nb\x0cc = 3 # d",
        "\u2028 = 'a'\u2028b = 2",
        "<script>alert(1)</script>",
    ],
)
def test_no_character_is_lost_and_none_becomes_markup(text):
    code = code_of(program_html(text, "The same"))
    kinds = ("keyword", "comment", "literal")
    assert set(re.findall("<[^>]*>", code)) <= {"</span>", *(f'<span class="aa-{kind}">' for kind in kinds)}
    assert html.unescape(re.sub("<[^>]*>", "", code)) == text


def test_the_name_and_a_message_are_escaped():
    assert 'aria-label="a &quot;b&quot;"' in program_html("x = 1", 'a "b"')
    assert code_of(message_html("for <x> in 1")) == "for &lt;x&gt; in 1"
