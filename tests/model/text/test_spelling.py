"""Spellings of a word and their tokens."""

import pytest

from model import Translator
from model.text.spelling import list_spellings, tokenize_spellings


@pytest.fixture(scope="module")
def tokenizer():
    return Translator.load().tokenizer


def test_spellings_of_a_word():
    assert dict(list_spellings(" street ")) == {
        "as-typed": "street",
        "lower-case": "street",
        "title-case": "Street",
        "upper-case": "STREET",
        "plural": "streets",
        "doubled": "strreet",
        "swapped": "stereet"[:2] + "er" + "et",
        "first-missing": "treet",
        "accents": "str\u00e9\u00e9t",
        "apart": "s t r e e t",
    }


@pytest.mark.parametrize("word", ["a", "\uace0\uc591\uc774", "\U0001f600", "<b>x</b>", "don't stop"])
def test_any_word_has_spellings(word, tokenizer):
    rows = tokenize_spellings(tokenizer, list_spellings(word))
    assert rows[0].text == word
    assert len({row.text for row in rows}) == len(rows)
    for row in rows:
        assert row.ids == tuple(tokenizer.encode(row.text))
        assert len(row.tokens) == len(row.ids)
        assert 0 <= row.shared <= len(row.ids)


def test_splits_are_the_tokenizers_and_count_what_is_shared(tokenizer):
    rows = tokenize_spellings(
        tokenizer, [("as typed", "cat"), ("again", "cat"), ("empty", " "), ("two", "cat cat"), ("other", "\uace0")]
    )
    assert [row.name for row in rows] == ["as typed", "two", "other"]
    assert [row.shared for row in rows] == [1, 1, 0]
    assert rows[2].tokens[-3:] == ("U+ACE0 1/3", "U+ACE0 2/3", "U+ACE0 3/3")
