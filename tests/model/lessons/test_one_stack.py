"""Measures of the heads of a decoder-only network on one sentence pair, by loops over single weights."""

import numpy as np
import pytest

from model.attribution.alignment_error import count_links
from model.lessons.one_stack import (
    compare_prefix,
    copied_tokens,
    cross_block,
    following_ids,
    following_losses,
    following_tokens,
    prefix_mask,
    sum_heads,
)
from tests.model.random_language_model import random_model

ENGLISH, FRENCH = "Tom was born in Boston in 1987.", "Tom est né à Boston en 1987."


@pytest.fixture(scope="module")
def model():
    return random_model()


@pytest.fixture(scope="module")
def trace(model):
    return model.trace(ENGLISH, FRENCH)


def test_rows_of_the_block_generate_french_and_columns_are_english(model, trace):
    block = cross_block(trace)
    source, following = model.read_ids(ENGLISH), model.read_ids(FRENCH)
    assert block.shape == (3, 4, len(following), len(source))
    assert following_ids(trace) == tuple(following) and following_tokens(trace)[-1] == "</s>"
    for row in range(len(following)):
        assert np.array_equal(block[1, 2, row], trace.decoder_attention[1, 2, len(source) - 1 + row, : len(source)])
    np.testing.assert_allclose(block[:, :, 0].sum(axis=-1), 1, atol=1e-6)  # `</s>` attends to English alone
    assert (block[:, :, 1:].sum(axis=-1) < 1).all()
    losses = model.score(trace)[len(source) - 1 :]
    np.testing.assert_allclose(following_losses(trace), losses, atol=1e-9)


def test_names_and_numbers_that_both_sentences_have_are_copied(model):
    source, following = model.read_ids(ENGLISH), model.read_ids(FRENCH)
    copies = copied_tokens(model.tokenizer, source, following)
    pairs = [(following[row], source[column]) for row, column in np.argwhere(copies).tolist()]
    assert all(generated == read for generated, read in pairs)
    copied = model.tokenizer.decode([following[row] for row in np.flatnonzero(copies.any(axis=1))])
    assert copied == "Tom Boston 1987"


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("The train is late.", "Le train est en retard."),  # the same word, but no name
        ("Paris is nice.", "Rome est belle."),
        ("I am 30.", "J'ai 31 ans."),
    ],
)
def test_other_words_are_not_copied(model, english, french):
    assert not copied_tokens(model.tokenizer, model.read_ids(english), model.read_ids(french)).any()


def test_the_measures_equal_loops(model, trace):
    generator = np.random.default_rng(0)
    block = cross_block(trace)
    reference = generator.random(block.shape[2:]) < 0.2
    sums = sum_heads(trace, reference)
    measures = (sums + sums).measures  # two equal sentences have the measures of one
    copies = copied_tokens(model.tokenizer, trace.source_ids, following_ids(trace))
    prompt, count = trace.prompt_length, block.shape[2]
    weights = trace.decoder_attention
    for layer, head in ((0, 0), (2, 3)):
        source = [weights[layer, head, prompt - 1 + row, :prompt].sum() for row in range(1, count)]
        assert measures.source[layer, head] == pytest.approx(np.mean(source), rel=1e-5)
        first = [weights[layer, head, query, 0] for query in range(1, weights.shape[2])]
        assert measures.first[layer, head] == pytest.approx(np.mean(first), rel=1e-5)
        copied = [block[layer, head, row][copies[row]].sum() for row in range(count) if copies[row].any()]
        assert measures.copied[layer, head] == pytest.approx(np.mean(copied), rel=1e-5)
        assert measures.error[layer, head] == pytest.approx(count_links(block[layer, head], reference).error)
    even = [prompt / (prompt + row) for row in range(1, count)]
    assert measures.even_source == pytest.approx(np.mean(even))
    assert measures.even_first == pytest.approx(np.mean([1 / (query + 1) for query in range(1, weights.shape[2])]))
    copying = np.flatnonzero(copies.any(axis=1))
    assert measures.even_copied == pytest.approx(np.mean([copies[row].sum() / (prompt + row) for row in copying]))
    assert measures.copies == 2 * len(copying)
    layer, head = measures.aligned
    assert measures.error[layer, head] == measures.error.min()


def test_without_links_the_head_that_reads_most_english_is_named_and_nothing_copied_is_no_number(model):
    trace = model.trace("The cat sleeps.", "Le chat dort.")
    measures = sum_heads(trace, None).measures
    assert np.isnan(measures.error).all() and np.isnan(measures.copied).all() and np.isnan(measures.even_copied)
    assert measures.source[measures.aligned] == measures.source.max()


def test_a_sentence_whose_translation_is_empty_is_measured(model):
    trace = model.trace("The cat sleeps.", target_ids=(model.config.eos_id,))
    measures = sum_heads(trace, None).measures
    assert not measures.source.any() and np.isfinite(measures.first).all()


def test_a_prefix_mask_opens_the_english_part_alone(model, trace):
    comparison = compare_prefix(model.network, trace)
    prompt = trace.prompt_length
    before, after = trace.decoder_attention, comparison.after.decoder_attention
    expected = np.tri(before.shape[2], dtype=bool)
    expected[:prompt, :prompt] = True
    assert np.array_equal(comparison.after.records["decoder"].allowed, expected)
    assert (after[..., expected] > 0).all() and not after[..., ~expected].any()
    assert comparison.after.verify().max_difference < 1e-5
    np.testing.assert_allclose(comparison.causal, following_losses(trace))
    np.testing.assert_allclose(comparison.prefix, following_losses(comparison.after))
    assert not np.allclose(comparison.causal, comparison.prefix)
    tap = prefix_mask(model.network, prompt)
    ids = list(trace.source_ids)
    for _ in range(3):  # greedy by whole passes
        logits = model.network.project(model.network.states(model.network.ids(ids), tap))[0, -1]
        logits[list(model.config.never_generated)] = -np.inf
        ids.append(int(logits.argmax()))
    assert comparison.translation.startswith(model.tokenizer.decode(ids[prompt:]))


def test_a_prefix_of_one_token_changes_nothing(model):
    trace = model.trace(ENGLISH, FRENCH, intervention=prefix_mask(model.network, 1))
    assert np.array_equal(trace.decoder_attention, model.trace(ENGLISH, FRENCH).decoder_attention)
