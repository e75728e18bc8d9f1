"""A user's text is shown literally, not interpreted."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.text import literal

ANY_TEXT = st.text(st.characters())  # lone surrogates included


def test_html_marks_are_escaped():
    assert literal.html("<b onclick='x'>&\"") == "&lt;b onclick=&#x27;x&#x27;&gt;&amp;&quot;"


@given(ANY_TEXT)
def test_html_round_trip_for_any_text(text):
    escaped = literal.html(text)
    assert "<" not in escaped
    assert html.unescape(escaped) == html.unescape(html.escape(literal.without_surrogates(text)))
    escaped.encode("utf-8")


def test_markdown_punctuation_is_escaped():
    assert literal.markdown("**a** $x$ :red[b]") == r"\*\*a\*\* \$x\$ \:red\[b\]"
    assert literal.markdown("a\n\n# b") == r"a \# b"


def test_plotly_labels_contain_neither_tags_nor_formulas():
    assert literal.plotly("<b>$x$</b>") == "&lt;b&gt;&#36;x&#36;&lt;/b&gt;"


def test_invisible_characters_are_written_as_numbers():
    assert literal.visible("a\u200bb\x07\u202e") == "aU+200BbU+0007U+202E"
    assert literal.visible("\ud800") == "U+D800"
    assert literal.visible("שלום 😀 é") == "שלום 😀 é"


def test_tokens():
    assert literal.token("\u2009cat") == "cat"
    assert literal.token("\u2009") == "\u2423"
    assert [literal.as_typed(label) for label in ("\u2009cat", "s", "\u2009", "")] == ["cat", "s", " ", " "]


@given(ANY_TEXT)
def test_without_surrogates_fits_utf8(text):
    literal.without_surrogates(text).encode("utf-8")


def test_without_surrogates_changes_nothing_else():
    assert literal.without_surrogates("a😀\ud800b") == "a😀\ufffdb"


@pytest.mark.parametrize(
    ("text", "kept_apart"),
    [
        ("www.example.com", "www\u2060.example.com"),
        ("WWW.example", "WWW\u2060.example"),
        ("see https://example.com", "see https:\u2060//example.com"),
        ("me@example.com", "me\u2060@example.com"),
        ("a -> b <-> c", "a -\u2060> b <\u2060-\u2060> c"),
        ("git checkout -- assets", "git checkout -\u2060- assets"),
        ("a >= b <= c ~= d", "a >\u2060= b <\u2060= c ~\u2060= d"),
        ("x - y, www, @me", "x - y, www, @me"),
    ],
)
def test_plain_text_becomes_neither_links_nor_arrows(text, kept_apart):
    """Observed in a browser: Streamlit replaces even escaped characters."""
    assert literal.markdown(text).replace("\\", "") == kept_apart


def test_code_in_this_project_s_sentences_can_be_copied():
    assert literal.with_code("a.md is missing; type `git checkout -- assets` or *ask*.") == (
        r"a\.md is missing\; type `git checkout -- assets` or \*ask\*\."
    )
    assert literal.with_code("one ` only") == r"one \` only"
    assert literal.with_code("plain") == "plain"
