"""Alignment error by hand."""

import numpy as np
import pytest

from model.attribution.alignment_error import LinkCounts, attention_links, count_links

WEIGHTS = np.array(  # generates: a b c </s>; source: x y z </s>
    [
        [0.7, 0.1, 0.1, 0.1],
        [0.2, 0.1, 0.6, 0.1],
        [0.1, 0.2, 0.1, 0.6],
        [0.9, 0.0, 0.1, 0.0],
    ]
)
REFERENCE = np.array(
    [
        [True, False, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, False],
    ]
)


def test_each_token_is_linked_to_its_most_attended_token_unless_that_is_the_end():
    assert np.argwhere(attention_links(WEIGHTS)).tolist() == [[0, 0], [1, 2], [3, 0]]


def test_the_rate_is_by_the_token_generated_or_by_the_token_read():
    generated = count_links(WEIGHTS, REFERENCE)
    assert generated == LinkCounts(attention=2, reference=3, shared=1)
    assert generated.error == pytest.approx(1 - 2 * 1 / 5) and generated.recall == pytest.approx(1 / 3)
    # the second step reads a, and points at z; the third reads b, and points at nothing; the fourth reads c
    assert count_links(WEIGHTS, REFERENCE, read=True) == LinkCounts(attention=2, reference=3, shared=0)
    moved = np.roll(WEIGHTS, 1, axis=0)
    assert count_links(moved, REFERENCE, read=True) == generated


def test_perfect_attention_has_rate_0_and_opposite_attention_rate_1():
    perfect = np.where(REFERENCE, 1.0, 0.0)
    assert count_links(perfect, REFERENCE).error == 0
    assert count_links(np.roll(perfect[:, :3], 1, axis=1), REFERENCE[:, :3]).error == pytest.approx(1 - 2 * 0 / 5)


def test_counts_add_up_over_sentences_and_no_links_have_no_rate():
    both = LinkCounts(2, 3, 1) + LinkCounts(4, 1, 1)
    assert both == LinkCounts(6, 4, 2) and both.error == pytest.approx(0.6)
    assert LinkCounts(0, 0, 0).error is None and LinkCounts(2, 0, 0).recall is None


def test_links_of_another_sentence_are_refused():
    with pytest.raises(ValueError, match=r"Weights of \(4, 4\) cannot be compared with links of \(3, 4\)"):
        count_links(WEIGHTS, REFERENCE[:3])
