"""Tokens are labelled with the characters of the text, and words are found by their offsets."""

from __future__ import annotations

import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from model import OpenError
from model.hub.token_offsets import labels_of, tokenize, tokens_of_ids
from tests.model.hub import tiny


def test_labels_are_slices_of_the_text():
    tokens = tokenize(tiny.tokenizer(), "The dog")
    inner = [label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special]
    assert "".join(inner) == "Thedog"
    assert (tokens.labels[0], tokens.labels[-1]) == ("[CLS]", "[SEP]")
    assert (tokens.special[0], tokens.special[1], tokens.special[-1]) == (True, False, True)


def test_tokens_that_share_a_character_are_counted():
    tokens = tokenize(tiny.tokenizer(), "a \U0001f642")
    shared = [label for label in tokens.labels if label.startswith("\U0001f642")]
    assert len(shared) == 4
    assert shared == [f"\U0001f642 {number}/4" for number in range(1, 5)]


def test_words_are_runs_of_characters_without_space():
    tokens = tokenize(tiny.tokenizer(), "unheard-of words,  here")
    words = ["".join(tokens.labels[place] for place in word) for word in tokens.words]
    assert words == ["unheard-of", "words,", "here"]


def test_words_of_two_texts_are_separate():
    tokens = tokenize(tiny.tokenizer(), "A dog", "A dog")
    assert len(tokens.words) == 4
    assert [tokens.segments[word[0]] for word in tokens.words] == [0, 0, 1, 1]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40))
def test_every_token_that_is_not_special_belongs_to_one_word_at_most(text: str):
    try:
        tokens = tokenize(tiny.tokenizer(), text)
    except OpenError:
        assert not text.strip()
        return
    inside = [place for word in tokens.words for place in word]
    assert len(inside) == len(set(inside))
    assert not any(tokens.special[place] for place in inside)
    assert all(tokens.labels)
    assert len(tokens.labels) == len(tokens.ids)


def test_candidates_have_labels_of_their_own():
    ids = tiny.tokenizer()(" dog", add_special_tokens=False)["input_ids"]
    assert labels_of(tiny.tokenizer(), ids)[0].startswith("\u2423")


def test_a_token_of_bytes_is_readable():
    """What a byte-level tokenizer calls `\u00c3\u00a9` is an \u00e9; half of a character is labelled by its byte."""
    ids = tiny.tokenizer()("\u00e9", add_special_tokens=False)["input_ids"]
    assert labels_of(tiny.tokenizer(), ids) == ("<0xC3>", "<0xA9>")
    backend = Tokenizer(models.BPE(vocab={"\u00c3": 0, "\u00a9": 1, "\u00c3\u00a9": 2}, merges=[("\u00c3", "\u00a9")]))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    assert labels_of(transformers.PreTrainedTokenizerFast(tokenizer_object=backend), [2]) == ("\u00e9",)


@pytest.mark.parametrize(
    ("merged", "labels"),
    [  # byte-level BPE of 나는 학: three bytes for each syllable, some of which form one token
        ([], ["나 1/3", "나 2/3", "나 3/3", "는 1/3", "는 2/3", "는 3/3"]),
        ([(0, 1)], ["나 1/2", "나 2/2", "는 1/3", "는 2/3", "는 3/3"]),
        ([(1, 2)], ["나 1/2", "나 2/2", "는 1/3", "는 2/3", "는 3/3"]),
        ([(0, 1), (0, 2)], ["나", "는 1/3", "는 2/3", "는 3/3"]),
        ([(2, 3)], ["나 1/2", "나 2/2", "나는", "는 1/2", "는 2/2"]),  # the last byte of one, the first of the next
    ],
)
def test_syllables_of_a_byte_level_tokenizer_state_their_share(merged: list[tuple[int, int]], labels: list[str]):
    ((spelled, _),) = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str("나는")
    merges = [(spelled[first:last], spelled[last]) for first, last in merged]
    vocabulary = [*pre_tokenizers.ByteLevel.alphabet(), *(left + right for left, right in merges)]
    ids = {name: place for place, name in enumerate(vocabulary)}
    backend = Tokenizer(models.BPE(vocab=ids, merges=merges))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    read = tokenize(transformers.PreTrainedTokenizerFast(tokenizer_object=backend), "나는 학")
    assert list(read.labels) == [*labels, "\u2423", "학 1/3", "학 2/3", "학 3/3"]
    assert read.word_texts == ("나는", "학")


@pytest.mark.parametrize("text", ["The dog wants one.", "a \U0001f642 b", "unheard-of \u00e9t\u00e9,  here"])
def test_words_of_generated_tokens_are_those_of_the_text(text):
    read = tokenize(tiny.tokenizer(), text)
    generated = tokens_of_ids(tiny.tokenizer(), read.ids)
    assert (generated.special, generated.word_texts) == (read.special, tuple(text.split()))
    assert generated.words == read.words
    assert set(text.split()) < {word.text for word in generated.whole_words()}


def test_an_id_without_a_token_is_labelled_by_its_number():
    assert labels_of(tiny.tokenizer(), [tiny.VOCABULARY - 1, 2]) == (f"#{tiny.VOCABULARY - 1}", "[CLS]")


def test_an_empty_text_is_refused():
    with pytest.raises(OpenError, match="no tokens"):
        tokenize(tiny.tokenizer(), "")
