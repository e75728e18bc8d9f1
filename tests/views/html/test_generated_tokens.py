"""HTML of the decoder's output: tokens are escaped, probabilities belong to their tokens."""

import html
import re
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

from views.html import generated_tokens

HOSTILE = "<script>alert(1)</script>"


@dataclass
class Candidate:
    token: str
    probability: float


@dataclass
class Produced(Candidate):
    top: tuple[Candidate, ...]


class Reader(HTMLParser):
    """Collects tags, texts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.texts, self.styles, self.rows = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.styles.append(dict(attrs).get("style", ""))
        if tag == "tr":
            self.rows.append("aa-chosen" in (dict(attrs).get("class") or ""))

    def handle_data(self, data):
        self.texts.append(data)


def test_a_sentence_is_text_in_its_own_direction():
    html = generated_tokens.sentence(f"{HOSTILE} \u200b", "fr")
    reader = Reader(html)
    assert reader.tags == ["p"]
    assert "".join(reader.texts) == f"{HOSTILE} U+200B"
    assert 'dir="auto"' in html
    assert 'lang="fr"' in html


def test_chips():
    reader = Reader(generated_tokens.chips(["\u2009Le", HOSTILE, "\u2009"], "decoder", [0.5, 0.0004, 1]))
    assert "".join(reader.texts) == f"Le0.500{HOSTILE}4.00e\u22124\u24231.00"
    assert "script" not in reader.tags
    assert "".join(Reader(generated_tokens.chips(["a", "b"], "encoder")).texts) == "ab"


def test_cards_mark_the_chosen_token():
    top = (Candidate("le", 0.6), Candidate("la", 0.25), Candidate("la", 0.1))
    reader = Reader(generated_tokens.cards([Produced("la", 0.25, top)]))
    assert reader.rows == [False, True, False]
    assert [text for text in reader.texts if text.strip()] == ["la", "1", "le", "0.600", "la", "0.250", "la", "0.100"]
    assert any("25.0%" in style for style in reader.styles)


def test_a_token_that_is_not_among_the_most_probable_gets_its_own_row():
    reader = Reader(generated_tokens.cards([Produced(HOSTILE, 0.01, (Candidate("le", 0.6),))]))
    assert reader.rows == [False, True]
    assert "0.0100" in reader.texts
    assert "script" not in reader.tags


@pytest.mark.parametrize(
    ("text", "former", "marked"),
    [
        ("Le chien noir dort.", "Le chien blanc dort.", ["noir"]),
        ("parce qu'il était fatigué", "parce qu'elle était fatigué", ["il"]),
        ("L\u2019animal dort", "La bête dort", ["L\u2019", "animal"]),
        ("Le chat", "Le chat", []),
        ("", "Le chat", []),
        ("a <b>", "a", ["<b>"]),
    ],
)
def test_words_that_a_former_sentence_does_not_have_are_marked(text, former, marked):
    line = generated_tokens.changed_sentence("Translation", text, "fr", former)
    assert [html.unescape(each) for each in re.findall("<mark>(.*?)</mark>", line)] == marked
    assert "".join(Reader(line).texts) == f"Translation{text}"
