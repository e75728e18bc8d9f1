"""Streamlit's own words are written over in another language, by a style sheet that no text can leave."""

import html
import json
import re
from pathlib import Path

import streamlit

from views import streamlit_words
from views.streamlit_words import style
from views.text import catalogue
from views.text.catalogue import Message, using_language

SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"


def test_english_is_left_to_streamlit():
    assert style() == ""


def test_every_word_has_its_rule():
    with using_language("ko"):
        text = style()
    assert text.count('content: "') == len(streamlit_words._WORDS)
    assert 'content: "Enter를 누르면 적용됩니다"' in text


def test_a_text_cannot_end_the_string_or_the_style(monkeypatch):
    monkeypatch.setattr(streamlit_words, "_WORDS", {"p": Message("test.none", 'a"}</style><b>\\')})
    with using_language(catalogue.PSEUDO):
        text = style()
    assert text.count("<") == 2 and text.count('"') == 4  # of the string, and of the attribute


def test_buttons_can_be_focused_and_have_names():
    with using_language("ko"):
        text = style()
    names = json.loads(html.unescape(re.search('data-names="([^"]*)"', text)[1]))
    assert [*names.values()] == ["파일 고르기", "사진 찍기"]
    for button in names:
        assert not re.search(re.escape(button) + r"( p)? \{visibility: hidden", text)


def test_words_are_replaced_in_other_languages_only():
    words = streamlit_words.replaced()
    assert [*words] == [code for code in catalogue.offered_languages() if code != "en"]
    assert words["ko"]["[role=listbox]"] == {
        "No results": "찾은 항목이 없습니다",
        "Select all": "모두 고르기",
        "Select {name} matches": "찾은 {name}개 고르기",
    }
    assert all(english != shown for texts in words["ko"].values() for english, shown in texts.items())


def test_tools_of_a_chart_have_streamlits_button_too():
    charts = {places: words for places, words in streamlit_words.replaced()["ko"].items() if ".modebar" in places}
    (words,) = charts.values()
    assert words["Fullscreen"] != "Fullscreen" and words["Close fullscreen"] != "Close fullscreen"


def test_streamlit_still_has_the_elements_and_the_words():
    parts = dict(streamlit_words._REPLACED)
    ids = set(re.findall(r"data-testid=(\w+)", " ".join([*streamlit_words._WORDS, *parts])))
    english = {each.english for texts in parts.values() for each in texts}
    words = {part for text in english for part in re.split(r": \{name\}|\{name\}", text) if part}
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS.glob("*.js"))
    assert {part for part in ids | words if part not in scripts} == set()
