"""The statistical word alignment: learned from toy sentences, applied, written and read."""

import numpy as np
import pytest

from model.runtime.checkpoint import CheckpointError
from model.text.word_alignment import NULL, AlignmentTable, diagonal, find_links, learn_alignment

# 10, 11, 12 translate 20, 21, 22; 29 is in every target and translates nothing.
PAIRS = [
    ([10, 11], [20, 21, 29]),
    ([11, 12], [21, 22, 29]),
    ([12, 10], [29, 22, 20]),
    ([10], [20, 29]),
    ([12], [22, 29]),
    ([11, 10, 12], [21, 20, 22, 29]),
]


@pytest.fixture(scope="module")
def table():
    return learn_alignment(PAIRS * 3, 30)


def test_it_learns_which_tokens_translate_each_other(table):
    for source, target in (([10, 11, 12], [20, 21, 22]), ([10, 12], [20, 22])):
        links = table.link(source, target)
        expected = np.array([[token - 10 == other for other in source] for token in target])
        np.testing.assert_array_equal(links, expected)
    assert not table.link([10, 11], [20, 21, 29])[2].any()  # the word that translates nothing
    assert not table.link([13], [23]).any()  # not in the training pairs


def test_tokens_with_one_partner_are_certain_of_it():
    result = learn_alignment([([10], [20]), ([11], [21])], 30)
    place = result.pairs.tolist().index(10 * 31 + 20)
    assert result.forward[place] == pytest.approx(1) and result.backward[place] == pytest.approx(1)


def test_a_single_pair():
    """The target token comes from its partner or from nothing, and neither of the two generates another token."""
    result = learn_alignment([([1], [2])], 3)
    values = {pair: value for pair, value in zip(result.pairs.tolist(), result.forward.tolist(), strict=True) if value}
    assert values == {1 * 4 + 2: 1.0, 3 * 4 + 2: 1.0}  # condition 1, and condition nothing (3)


def test_the_diagonal_prior():
    prior = diagonal(3, 2)
    np.testing.assert_allclose(prior.sum(axis=1), 1 - NULL)
    near = np.exp(-4 * np.abs(0.5 - np.array([1, 2, 3]) / 3))
    np.testing.assert_allclose(prior[0], (1 - NULL) * near / near.sum())


def test_repeated_tokens_are_linked_along_the_diagonal(table):
    np.testing.assert_array_equal(table.link([10, 11, 10], [20, 21, 20]), np.eye(3, dtype=bool))


def test_links_of_a_trace_leave_out_the_end_token(table):
    links = find_links(table, (10, 11, 3), (20, 21, 3))
    np.testing.assert_array_equal(links, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    cut_off = find_links(table, (10, 11, 3), (20, 21))
    np.testing.assert_array_equal(cut_off, [[1, 0, 0], [0, 1, 0]])
    assert find_links(table, (3,), (3,)).shape == (1, 1)


def test_a_written_table_reads_back(table, tmp_path):
    table.save(tmp_path, "abc")
    read = AlignmentTable.load(tmp_path, "abc")
    np.testing.assert_array_equal(read.pairs, table.pairs)
    np.testing.assert_allclose(read.forward, table.forward, rtol=1e-3)
    np.testing.assert_allclose(read.backward, table.backward, rtol=1e-3)
    with pytest.raises(CheckpointError, match="another tokenizer; run `make head-statistics` again"):
        AlignmentTable.load(tmp_path, "def")
    with pytest.raises(CheckpointError, match="missing"):
        AlignmentTable.load(tmp_path / "none", "abc")
