"""Names of tokens spell the text that the network read, by the convention of each kind of tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from model.text.token_names import BYTES, is_special_name, name_bytes, spell_tokens

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=30)


def spell(*names: str) -> tuple[str, tuple[str, ...]]:
    read = spell_tokens(names, [is_special_name(name) for name in names])
    return read.text, read.pieces


def test_the_alphabet_of_bytes_is_that_of_the_library():
    assert set(BYTES) == set(pre_tokenizers.ByteLevel.alphabet()) and sorted(BYTES.values()) == list(range(256))


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 4))
def test_any_text_cut_into_runs_of_bytes_is_spelled_again(text: str, width: int):
    letters = {value: char for char, value in BYTES.items()}
    data = ("\u00e9 " + text).encode()  # a character of two bytes and a space show which convention it is
    names = ["".join(letters[byte] for byte in data[place : place + width]) for place in range(0, len(data), width)]
    read = spell_tokens(names, [False] * len(names))
    assert read.text == "\u00e9 " + text and read.marks_words
    assert all(piece in read.text for piece in read.pieces) and read.spans[-1][1] == len(read.text)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["\u2581The", "\u2581do", "g", "<0x0A>", "<0xEA>", "<0xB0>", "<0x80>"], " The dog\n\uac00"),
        (["\u0120\u00e0\u00a4", "\u00a8\u00e0\u00a4\u00ae"], " \u0928\u092e"),  # a cut inside a Devanagari letter
        (["the", "un", "##like", "##ly", "#"], " the unlikely #"),
        (["t\u00f4i", "l@@", "\u00e0", "@@"], "t\u00f4i l\u00e0 @@ "),
        (["th", "e</w>", "\u00c3\u00a9t\u00c3\u00a9</w>"], "the \u00e9t\u00e9 "),  # byte-level with ends of words
        (["\u00c3", "\u00a9", "t", " ", "b"], "\u00e9t b"),  # one character for each byte
        (["caf\u00e9", "\u00fcber"], "caf\u00e9\u00fcber"),  # letters, not bytes
        (["\u00c3"], "\u00c3"),  # half of nothing
        (["a", " of the", "\n"], "a of the\n"),
    ],
)
def test_text_by_the_convention_of_the_names(names: list[str], text: str):
    assert spell(*names)[0] == text


def test_a_special_token_spells_nothing_and_separates_words():
    assert spell("[CLS]", "un", "##like", "[SEP]", "##ly") == (
        " " + " un" + "like" + " " + "ly",
        ("", " un", "like", "", "ly"),
    )


@pytest.mark.parametrize(
    "name", ["[CLS]", "[unused1]", "<s>", "</s>", "<|endoftext|>", "<start_of_turn>", "<extra_id_0>"]
)
def test_names_of_special_tokens(name: str):
    assert is_special_name(name)


@pytest.mark.parametrize(
    "name", ["<0xF0>", "[...]", "[]", "<", "<>", "</w>", "[0]", "a<b>", "<3", "[", "\u2581[", "< b >"]
)
def test_names_of_no_special_tokens(name: str):
    assert not is_special_name(name)


def test_the_tokenizers_own_text_decides_between_conventions():
    names = ["t\u00f4i", "l\u00e0"]
    assert spell_tokens(names, [False] * 2).text == "t\u00f4il\u00e0"
    read = spell_tokens(names, [False] * 2, "t\u00f4i l\u00e0")
    assert read.confirmed and read.text.split() == ["t\u00f4i", "l\u00e0"]
    assert not spell_tokens(names, [False] * 2, "another text").confirmed
    assert spell_tokens(["don", "'", "t", "."], [False] * 4, "don't.").confirmed  # spaces removed by the tokenizer


def test_a_byte_of_an_incomplete_character_has_its_value():
    read = spell_tokens(["\u2581a", "<0xF0>", "<0x9F>"], [False] * 3)
    assert [name_bytes(piece) for piece in read.pieces] == [" a", "<0xF0>", "<0x9F>"]
