"""Whole words from tokens: exactly which tokens belong together, and sums and means over them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.text.tokenizer import Tokenizer
from model.text.words import Word, by_words, whole_words
from model.translator import SHIPPED


@pytest.fixture(scope="module")
def shipped():
    return Tokenizer(SHIPPED / "tokenizer.model")


def texts(tokenizer, sentence: str) -> list[str]:
    return [word.text for word in whole_words(tokenizer, tokenizer.encode_source(sentence))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I am a student.", ["I", "am", "a", "student", "."]),
        ("The animal didn't cross.", ["The", "animal", "didn't", "cross", "."]),
        ("O\u00f9 avez-vous appris ?", ["O\u00f9", "avez-vous", "appris", "?"]),
        ('She said: "Hello, Bob!"', ["She", "said", ":", '"', "Hello", ",", "Bob", '!"']),
        ("Wait...", ["Wait", "..."]),
        ("3.5 %", ["3.5", "%"]),
        ("\uc548\ub155 world", ["\uc548\ub155", "world"]),  # in bytes
        ("ok \U0001f642", ["ok", "\U0001f642"]),
        ("a(b)", ["a(b)"]),  # brackets are bytes here, and bytes belong to their word
        (". . .", [".", ".", "."]),
        ("...", ["..."]),
    ],
)
def test_words_as_a_person_would_count_them(shipped, sentence, expected):
    words = whole_words(shipped, shipped.encode_source(sentence))
    assert [word.text for word in words] == [*expected, "</s>"]
    assert [word.special for word in words] == [False] * len(expected) + [True]


def test_positions_of_tokens(shipped):
    ids = [shipped.bos_id, *shipped.encode_source("I didn't.")]
    assert shipped.tokens(ids) == ["<s>", "\u2581I", "\u2581did", "n", "'", "t", ".", "</s>"]
    assert whole_words(shipped, ids) == (
        Word("<s>", 0, 1, True),
        Word("I", 1, 2),
        Word("didn't", 2, 6),
        Word(".", 6, 7),
        Word("</s>", 7, 8, True),
    )
    assert whole_words(shipped, []) == ()


def test_special_tokens_separate_words_even_without_a_boundary(shipped):
    n = shipped.encode("didn")[-1]  # a token without the mark
    assert [(w.start, w.end) for w in whole_words(shipped, [n, shipped.eos_id, n, n])] == [(0, 1), (1, 2), (2, 4)]


@settings(max_examples=40)
@given(st.text(max_size=40))
def test_every_token_belongs_to_exactly_one_word(shipped, text):
    ids = shipped.encode_source(text)
    words = whole_words(shipped, ids)
    assert [place for word in words for place in range(word.start, word.end)] == list(range(len(ids)))
    assert [word.special for word in words].count(True) == 1 and words[-1].special


def test_sums_over_keys_and_means_over_queries():
    matrix = np.array([[1, 2, 3], [5, 6, 7], [9, 10, 100]], dtype=np.float32)
    queries, keys = (Word("a", 0, 2), Word("b", 2, 3)), (Word("c", 0, 1), Word("d", 1, 3))
    np.testing.assert_array_equal(by_words(matrix, queries, keys), [[3, 9], [9, 110]])
    np.testing.assert_array_equal(by_words(matrix[None], queries, keys), [[[3, 9], [9, 110]]])


def test_rows_that_sum_to_one_still_do():
    matrix = np.random.default_rng(0).dirichlet(np.ones(4), size=5)
    queries, keys = (Word("", 0, 3), Word("", 3, 5)), (Word("", 0, 1), Word("", 1, 4))
    np.testing.assert_allclose(by_words(matrix, queries, keys).sum(axis=1), 1)
