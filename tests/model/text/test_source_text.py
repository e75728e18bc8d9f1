"""English text in the characters that the networks were trained on."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import Translator
from model.text.source_text import count_sentences, is_read_differently, normalize_source
from tests.fuzz.texts import INVISIBLE

MARKS = "'\"`\u00b4\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2039\u2013\u2014\u2026 \n\t\r\u2028\u00a0" + INVISIBLE


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("\u201eI am tired\u201c, he said.", '"I am tired", he said.'),
        ("\u201cI am tired,\u201d he said.", '"I am tired," he said.'),
        ("\u00ab\u202fI am tired\u202f\u00bb, he said.", '"I am tired", he said.'),
        ("\u00bbI am tired\u00ab, he said.", '"I am tired", he said.'),
        ("He said \u300cgo\u300d.", 'He said "go".'),
        ("I don\u2019t know, it\u02bcs \u2018new\u2019.", "I don't know, it's 'new'."),
        ("I don\u00b4t and can`t.", "I don't and can't."),
        ("Wait\u2014no.", "Wait - no."),
        ("Wait \u2014 no.", "Wait - no."),
        ("From 9\u20135, well\u2011known, \u22123.", "From 9-5, well-known, -3."),
        ("I am \u200eti\u2060r\u00aded\u202c.\ufeff", "I am tired."),
        ("I\ufe0f am\U000e0041 ti\u200dred.", "I am tired."),
        ("I am a student.\nShe is\ta\u2028doctor.\r\n", "I am a student. She is a doctor."),
        ("I\u00a0am\u2009a\u3000student\u0085.", "I am a student ."),
        ("a\0b\x7fc", "abc"),
        ("The caf\u00e9 costs \u20ac5 \u2014 100 %.", "The caf\u00e9 costs \u20ac5 - 100 %."),
    ],
)
def test_marks_spaces_and_invisible_characters_are_plain(typed: str, read: str, translator):
    assert normalize_source(typed) == read
    assert translator.read_ids(typed) == translator.read_ids(read)
    assert translator.trace(typed).source_text == translator.trace(read).source_text
    assert is_read_differently(typed) and not is_read_differently(read)


def test_every_white_space_is_one_space_and_every_format_character_of_no_width_is_removed():
    for code in range(0x110000):
        char = chr(code)
        if char.isspace():
            assert normalize_source(f"a{char}{char}b") == "a b", hex(code)
        elif unicodedata.category(char) in ("Cc", "Cf") and not unicodedata.name(char, "").startswith(
            ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")
        ):
            assert normalize_source(f"a{char}b") == "ab", hex(code)


@pytest.mark.parametrize("text", ["I don\u2019t know.", "  two  spaces ", "L'\u00e9t\u00e9.", "\uc548\ub155", ""])
def test_an_apostrophe_in_a_word_and_plain_spaces_are_no_difference(text: str):
    assert not is_read_differently(text)


@given(st.text(st.sampled_from(MARKS) | st.characters()))
def test_twice_changes_nothing_more(text: str):
    once = normalize_source(text)
    assert normalize_source(once) == once
    assert not is_read_differently(once)


def test_french_text_is_not_changed(translator):
    french = "Il dit : \u00ab Je suis fatigu\u00e9. \u00bb"
    tokenizer = translator.tokenizer
    assert translator.check_target(french) == tokenizer.encode(french)
    assert tokenizer.decode(tokenizer.encode_target(french)) == tokenizer.normalize(french)
    assert "\u00ab" in translator.trace("I am tired.", french).target_text
    assert "\u00ab" not in translator.trace(french).source_text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("I am a student.", 1),
        ("I am a student. She is a doctor. We live in Paris. He has two dogs.", 4),
        ("I am a student.\nShe is a doctor.", 2),
        ("are you sure? i am", 2),
        ("\u201cAre you sad?\u201d \u201cNo. Why?\u201d", 3),
        ("\u201cLook!\u201d she said.", 1),
        ("Mr. Smith met Dr. J. R. Jones at 5 p.m. on 3.5 acres in the U.S. army.", 1),
        ("It costs $3.50... or 4.", 2),
        ("Wait... what?", 2),
    ],
)
def test_sentences_are_counted(text: str, count: int):
    assert count_sentences(text) == count


def test_stored_ids_with_a_sentence_that_was_read_otherwise_warn(translator):
    ids = translator.trace("I am tired.").next_ids
    with pytest.warns(UserWarning, match="Earlier versions"):
        translator.trace("\u201eI am tired.\u201c", target_ids=ids)


@pytest.mark.filterwarnings("error")
def test_no_warning_without_stored_ids_or_a_difference(translator):
    translator.trace("\u201eI am tired.\u201c")
    translator.trace("I don\u2019t know.", target_ids=translator.trace("I don't know.").next_ids)
