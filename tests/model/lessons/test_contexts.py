"""One word in several sentences."""

import numpy as np
import pytest
import torch

from model import InputError, Translator
from model.lessons.contexts import (
    encoder_stages,
    find_word,
    follow_word,
    principal_plane,
    stage_names,
    with_adjective,
)

SENTENCES = ["the cat that I raise", "the cat that catches sparrows", "the cat character in a game"]


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_the_word_is_the_same_before_layer_1_and_drifts_apart(translator):
    contexts = follow_word(translator.network, translator.tokenizer, SENTENCES, "cat")
    assert contexts.stages == ("embedding", "with position", "layer 1", "layer 2", "layer 3", "layer 4")
    np.testing.assert_array_equal(contexts.vectors[0, 0], contexts.vectors[1, 0])
    np.testing.assert_array_equal(contexts.vectors[0, 1], contexts.vectors[2, 1])  # second word in all three
    np.testing.assert_allclose(contexts.cosines[:, :2], 1)
    assert (contexts.cosines[:, 2:] < 0.999).all()
    assert (contexts.cosines[:, -1] < contexts.cosines[:, 2]).all()
    assert contexts.pairs == ((0, 1), (0, 2), (1, 2))
    assert contexts.difference < 1e-6
    np.testing.assert_allclose(contexts.projection[0, 0], contexts.projection[1, 0])
    assert 0 < contexts.explained.sum() <= 1


def test_stages_are_the_recorded_stream(translator):
    ids = translator.tokenizer.encode_source(SENTENCES[0])
    stages = encoder_stages(translator.network, translator.tokenizer, ids)
    trace = translator.trace(SENTENCES[0], "Le chat.")
    np.testing.assert_allclose(stages[1:], trace.encoder_stream, atol=1e-5)
    assert len(stages) == len(stage_names(4))


def test_vectors_of_a_word_at_two_positions_differ_after_positions_are_added(translator):
    contexts = follow_word(translator.network, translator.tokenizer, ["a cat", "I saw a big cat"], "cat")
    assert contexts.cosines[0, 0] == pytest.approx(1)
    assert contexts.cosines[0, 1] < 0.9999


@pytest.mark.parametrize(
    ("sentence", "word", "spelt"),
    [
        ("I saw the CAT, once.", "cat", "CAT"),
        ("Is it a wonderful, Wonderful day?", "Wonderful", "wonderful"),
        ("cats like a cat", "cat", "cat"),
        ("\uace0\uc591\uc774 is a cat", "\uace0\uc591\uc774", "\uace0\uc591\uc774"),
        ("the Ph.D program", "D", "D"),
    ],
)
def test_the_word_is_found_as_a_whole_word(translator, sentence, word, spelt):
    tokenizer = translator.tokenizer
    ids = tokenizer.encode(sentence)
    start, end = find_word(tokenizer, ids, word)
    assert tokenizer.decode(ids[start:end]) == spelt


@pytest.mark.parametrize(("sentence", "word"), [("the cats", "cat"), ("a category", "cat"), ("no", " "), ("x", "y")])
def test_parts_of_words_do_not_count(translator, sentence, word):
    assert find_word(translator.tokenizer, translator.tokenizer.encode(sentence), word) is None


def test_a_missing_word_is_named_with_its_sentence(translator):
    with pytest.raises(InputError, match="Sentence 2 does not have the word .dog."):
        follow_word(translator.network, translator.tokenizer, ["a dog", "a cat"], "dog")
    with pytest.raises(InputError, match="no word to follow"):
        follow_word(translator.network, translator.tokenizer, ["a dog", "a cat"], "  ")


def test_the_plane_has_the_directions_of_largest_variance():
    vectors = np.zeros((5, 4))
    vectors[:, 2] = [-4, -2, 0, 2, 4]
    vectors[:, 0] = [1, -1, 0, -1, 1]
    plane, shares = principal_plane(torch.from_numpy(vectors))
    np.testing.assert_allclose(plane[:, 0], vectors[:, 2])
    np.testing.assert_allclose(shares, [40 / 44, 4 / 44])


def test_an_adjective_is_inserted_before_whole_words_only():
    assert with_adjective("Cats and a cat, the cat", " CAT ", " cute ") == "Cats and a cute cat, the cat"
    assert with_adjective("a dog", "cat", "cute") == "a dog"
