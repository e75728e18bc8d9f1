"""Whole words from tokens: exactly which tokens belong together, and sums and means over them."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.text.tokenizer import Tokenizer
from model.text.words import (
    Word,
    are_words,
    by_words,
    label_slice,
    number_shared,
    read_tokens,
    whole_words,
    word_runs,
    words_by_span,
)
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


@pytest.mark.parametrize(
    ("piece", "label"),
    [
        (" cat", "cat"),
        ("\n", "\u21b5"),
        ("cat\n", "cat\u21b5"),
        ("  ", "\u2423\u2423"),
        ("\t", "\u21e5"),
        (" of the", "of the"),
        ("\u00a0x", "U+00A0x"),
        ("\udcf0", "<0xF0>"),
        ("", ""),
    ],
)
def test_what_is_not_visible_is_drawn(piece: str, label: str):
    assert label_slice(piece) == label


def test_tokens_of_one_character_are_numbered_in_their_own_text():
    spans = [(0, 1), (0, 1), (0, 1), (0, 0), (1, 2)]
    assert number_shared(["x", "x", "x", "", "y"], spans, [0, 0, 1, 1, 1]) == ["x 1/2", "x 2/2", "x", "", "y"]


def test_korean_syllables_state_their_share_and_jamo_are_joined_in_words():
    byte_level = read_tokens(["\u00eb\u0124", "\u013a", "\u00eb\u012c\u0136", "\u0120\u00ed\u0137\u013b"])
    assert byte_level.labels == ("나 1/2", "나 2/2", "는", "학")
    assert [(word.text, word.start, word.end) for word in byte_level.words] == [("나는", 0, 3), ("학", 3, 4)]
    first, *others = unicodedata.normalize("NFD", "한국")
    jamo = read_tokens(["[CLS]", first, *(f"##{each}" for each in others), "[SEP]"])
    assert [unicodedata.normalize("NFC", word.text) for word in jamo.words] == ["[CLS]", "한국", "[SEP]"]


def test_words_are_runs_between_spaces_and_one_token_may_cover_several():
    text = "of the cats\nnow"
    words = words_by_span(text, [(0, 6), (6, 9), (9, 11), (11, 12), (12, 15), (0, 0)])
    assert words == [([0], "of the"), ([1, 2], "cats"), ([4], "now")]
    labels = ["of the", "cat", "s", "\u21b5", "now", "</s>"]
    runs = word_runs(words, labels, [False] * 5 + [True])
    assert [(run.text, run.start, run.end, run.special) for run in runs] == [
        ("of the", 0, 1, False),
        ("cats", 1, 3, False),
        ("\u21b5", 3, 4, False),
        ("now", 4, 5, False),
        ("</s>", 5, 6, True),
    ]


def test_a_token_that_reaches_into_the_next_word_joins_both():
    assert words_by_span("a b c", [(0, 1), (1, 3), (2, 3), (4, 5)]) == [([0], "a"), ([1, 2], "b"), ([3], "c")]
    assert words_by_span("ab cd", [(0, 1), (1, 4), (4, 5)]) == [([0, 1, 2], "ab cd")]


@settings(max_examples=100, deadline=None)
@given(st.text("ab \n", min_size=1, max_size=20), st.data())
def test_every_token_is_in_one_run_in_order(text: str, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    spans = list(zip(cuts, cuts[1:], strict=False))
    words = words_by_span(text, spans)
    runs = word_runs(words, [label_slice(text[a:b]) for a, b in spans], [False] * len(spans))
    assert [place for run in runs for place in range(run.start, run.end)] == list(range(len(spans)))
    assert "".join(text.split()) == "".join("".join(written for _, written in words).split())


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (["I", "love", "\u5317\u4eac", "and", "tea"], True),
        (["\u6211\u559c\u6b22\u6df1\u5ea6\u5b66\u4e60"], False),
        (["\u6211\u7231\u4f60"], False),
        (["\u0e09\u0e31\u0e19\u0e0a\u0e2d\u0e1a\u0e41\u0e21\u0e27"], False),  # Thai
        (["\ub098\ub294", "\ucc28\ub97c", "\uc0ac\uace0", "\uc2f6\ub2e4"], True),  # Korean
        (list("MKTAYIAKQR"), False),
        (["MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKA"], False),
        (["unbelievable"], True),
        (["a", "b"], True),
        ([], False),
    ],
)
def test_whether_runs_between_spaces_are_words(runs: list[str], expected: bool):
    assert are_words(runs) == expected


@pytest.mark.parametrize(
    "tokens, words",
    [
        (["[CLS]", "un", "##like", "##ly", "cats", "[SEP]"], ["[CLS]", "unlikely", "cats", "[SEP]"]),
        (["I", "\u0120did", "n", "\u0120go", "<|end|>"], ["I", "didn", "go", "<|end|>"]),
        (["\u2581I", "\u2581go", "ing", "</s>"], ["I", "going", "</s>"]),
        (["caf", "\u00c3", "\u00a9", "\u010a", "\u0120now"], ["caf\u00e9", "\u21b5", "now"]),
        (["\u2581a", "<0xF0>", "<0x9F>", "<0x99>", "<0x82>", "\u2581b"], ["a\U0001f642", "b"]),
        (["l@@", "ow", "new"], ["low", "new"]),
        (["lo", "w</w>", "new</w>"], ["low", "new"]),
        (["low", "er", " of the", " sea"], ["lower", "of the", "sea"]),
    ],
)
def test_whole_words_by_each_tokenizers_marks(tokens: list[str], words: list[str]):
    read = read_tokens(tokens)
    assert [word.text for word in read.words] == words
    ends = [word.end for word in read.words]
    assert [word.start for word in read.words[1:]] == ends[:-1] and ends[-1] == len(tokens)
    assert [word.text for word in read.words if word.special] == [
        label for label, mark in zip(read.labels, read.special, strict=True) if mark
    ]


@pytest.mark.parametrize(
    "tokens",
    [["the", "cat"], list("MKTAYIAKQR"), ["\u2581", "\u6211\u559c\u6b22", "\u6df1\u5ea6", "\u5b66\u4e60"]],
)
def test_without_word_boundaries_there_are_no_words(tokens):
    assert read_tokens(tokens).words is None


def test_tokens_are_displayed_as_text():
    tokens = ["<s>", "\u0120cat", "\u00ec\u0137\u012a", "\u00c3", "\u00a9", "\u010a", "\u0120", "</s>"]
    assert read_tokens(tokens).labels == (
        "<s>", "cat", "\uc548", "\u00e9 1/2", "\u00e9 2/2", "\u21b5", "\u2423", "</s>",
    )  # fmt: skip


def test_bytes_are_not_special_tokens():
    read = read_tokens(
        ["<s>", "\u2581a", "<0xF0>", "<0x9F>", "<0x99>", "<0x82>", "[MASK]", "<|im_end|>", "[...]", "</s>"]
    )
    special = {label for label, mark in zip(read.labels, read.special, strict=True) if mark}
    assert special == {"<s>", "[MASK]", "<|im_end|>", "</s>"}
    assert read.labels[2:6] == tuple(f"\U0001f642 {number}/4" for number in range(1, 5))
