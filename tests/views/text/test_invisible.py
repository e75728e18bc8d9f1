"""Characters that show nothing are written by their code points; the model's labels and the views agree."""

import re
import unicodedata
from pathlib import Path

import pytest

from model.text import invisible as below
from model.text.words import read_tokens
from tests.fuzz.texts import SPACES
from views.export.drawing import LABEL_WIDTH, TextLine, fit_label, text_width
from views.text import invisible, literal

ROOT = Path(__file__).resolve().parents[3]
FAMILY, RAINBOW, KEYCAP = (
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "1\ufe0f\u20e3",
)
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
ALONE = "\u200c\u200d\u200b\u2060\u00ad\ufeff\u200e\u2066\ufe0f\ufe0e\U000e0100\U000e0041\U000e007f"
ALONE += "\u034f\u3164\uffa0\u2800\u180b\u0378"
ALONE += "\ue000\U0010ffff\0\x7f\x85\u2028\u061c\U0001d173"


def test_the_two_layers_have_the_same_rules():
    texts = [Path(module.__file__).read_text(encoding="utf-8") for module in (below, invisible)]
    assert len({re.sub(r"`\w+\.text\.invisible` is the same for the layer \w+", "", text) for text in texts}) == 1


@pytest.mark.parametrize("char", ALONE)
@pytest.mark.parametrize("around", ["{}", "a{}", "{}a", "a{}b", " {} ", "{} 1/3"])
def test_what_shows_nothing_is_a_code_point(char: str, around: str):
    written = f"U+{ord(char):04X}"
    assert literal.visible(around.format(char)) == around.format(written)
    assert written in literal.token(around.format(char))


@pytest.mark.parametrize(
    "text",
    [FAMILY, RAINBOW, KEYCAP, WALES, "\u2764\ufe0f\u200d\U0001f525", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
     "\u0915\u094d\u200d\u0937", "\u845b\U000e0100", "\U0001f44d\U0001f3fd", "\u00a9\ufe0f", "I want", "\u00e9t\u00e9"],
)  # fmt: skip
def test_joiners_selectors_and_tags_stay_where_they_have_an_effect(text: str):
    assert literal.visible(text) == text == literal.token(text)


def test_every_kind_of_space_has_its_own_label_and_is_left_alone_in_sentences():
    spaces = sorted({*SPACES, "\u2000", "\u2007", "\u200a"} - {"\r"})
    labels = read_tokens(["a", *spaces, "b"]).labels
    assert len(set(labels)) == len(labels) and not any(label.isspace() or not label for label in labels)
    assert labels[1 + spaces.index(" ")] == literal.token(" ") == "\u2423"
    assert literal.token("\u3000") == "U+3000" and literal.token("\u2009") == "\u2423"
    assert literal.visible("Il dit\u00a0: non\u202f!") == "Il dit\u00a0: non\u202f!"


def test_labels_of_both_directions_are_isolated_and_all_such_characters_are_known():
    for code in range(0x110000):
        if unicodedata.bidirectional(chr(code)) in ("R", "AL") and code != 0x200F:
            assert literal.isolated(chr(code)) == f"\u2068{chr(code)}\u2069", hex(code)
    assert literal.isolated("(abc) 12") == "(abc) 12"


@pytest.mark.parametrize(
    ("label", "letters", "cut"),
    [
        ("hash", 4, "hash"),
        ("0f" * 9, 6, "0f0f0\u2026"),
        ("\uac00" * 9, 6, "\uac00\uac00\u2026"),
        ("ab cd", 4, "ab\u2026"),
    ],
)
def test_a_label_is_cut_by_columns(label: str, letters: int, cut: str):
    assert literal.fit(label, letters) == cut
    assert literal.columns(cut) <= letters


@pytest.mark.parametrize(
    "label", ["0f" * 64, "\uac00\ub098" * 60, "\u05e9\u05dc\u05d5\u05dd " * 40, "i" * 200, "W" * 40]
)
def test_a_label_of_a_drawing_is_cut_to_its_width_and_has_the_whole(label: str):
    cut, whole = fit_label(label, 12)
    assert whole == label.strip() and cut.endswith("\u2026")
    assert 0.8 * LABEL_WIDTH < text_width(cut, 12) <= LABEL_WIDTH
    assert fit_label("want", 12) == ("want", "") and TextLine(0, 0, "want").whole == ""
