"""Rows that are decoded together with a draft: each is the translation that it has alone."""

import pytest
import torch

from model.decoding.drafted_rows import decode_merged_rows, decode_rows
from model.decoding.search import greedy_batch
from model.decoding.tapped_decoding import greedy_with_tap_in_steps, guess_next
from model.networks.tap import Chain, Recorder
from model.pulling.rows import PulledScore, score_tap
from model.runtime.progress import as_one_call
from model.tracing.head_interventions import Scale
from model.tracing.interventions import HeadInterventions
from tests.model.networks import random_ids, tiny_network

SOURCE = [*random_ids(6).tolist(), 3]
LIMIT = 12
HEADS = ((0, 0), (1, 1))
generate = as_one_call(greedy_with_tap_in_steps)


@pytest.mark.parametrize(("kind", "query"), [("cross", 0), ("cross", 4), ("cross", 30), ("decoder", 3), ("encoder", 2)])
@pytest.mark.parametrize("seed", range(3))
def test_each_row_is_the_translation_that_it_has_alone(kind, query, seed):
    network = tiny_network(seed)
    before = HeadInterventions((Scale("cross", ((0, 1),), 0.5),)).tap({"cross": (2, 2, 1, len(SOURCE))})
    scores = [PulledScore(query, 1, delta) for delta in (-torch.inf, -3.0, 0.0, 3.0, 40.0)]
    taps = [Chain(before, score_tap(kind, HEADS, [score])) for score in scores]
    alone = [generate(network, SOURCE, tap, LIMIT) for tap in taps]
    plain = list(alone[2].ids)
    shared = None if kind == "encoder" else query

    def tap_of(rows):
        return Chain(before, score_tap(kind, HEADS, [scores[row] for row in rows]))

    for draft in ((), plain, [7] * 20, [*plain[:3], 5, *plain[4:]], greedy_batch(network, [SOURCE])[0]):
        rows = decode_rows(network, SOURCE, tap_of, len(scores), LIMIT, draft, shared, before)
        assert [row.ids for row in rows] == [list(each.ids) for each in alone]
        for row, each in zip(rows, alone, strict=True):
            assert len(row.chances) == len(row.ids) and all(first >= second for first, second in row.chances)
            # an ablation of ids that are never generated makes the others more probable
            assert all(first >= own - 1e-5 for (first, _), own in zip(row.chances, each.probabilities, strict=True))


def test_a_correct_draft_takes_one_pass_after_what_the_rows_share():
    network, recorder = tiny_network(1), Recorder({"decoder.embedded"})
    draft = greedy_batch(network, [SOURCE], max_length=LIMIT)[0]
    passes = []

    def count(name, tensor):
        passes.extend([tuple(tensor.shape[:2])] if name == "decoder.embedded" else [])
        return recorder(name, tensor)

    rows = decode_rows(network, SOURCE, lambda rows: count, 3, LIMIT, draft, shared=2, before=count)
    assert [row.ids for row in rows] == [draft] * 3
    assert passes == [(1, 2), (3, len(draft))]


def test_a_token_that_the_draft_lacks_replaces_the_one_at_its_position():
    assert guess_next([], [5, 6, 7]) == [5, 6, 7]
    assert guess_next([5], [5, 6, 7]) == [6, 7]
    assert guess_next([5, 9], [5, 6, 7]) == [7]
    assert guess_next([5, 6, 8, 5], [5, 6, 7, 8, 5, 4]) == [4]


@pytest.mark.parametrize(
    ("kind", "query"), [("cross", 0), ("cross", 4), ("cross", 30), ("decoder", 3), ("decoder", 11)]
)
@pytest.mark.parametrize("seed", range(3))
def test_merged_rows_equal_unmerged_ones(kind, query, seed):
    """The same tokens; their probabilities by another number of rows in a product, so that the last bits may differ."""
    network, heads = tiny_network(seed), ((1, 0), (1, 1))  # of the last layer
    before = HeadInterventions((Scale("cross", ((0, 1),), 0.5),)).tap({"cross": (2, 2, 1, len(SOURCE))})
    scores = [PulledScore(query, key, delta) for key in (0, 1, 3) for delta in (-torch.inf, -3.0, 0.0, 3.0, 40.0)]
    arguments = len(scores), LIMIT

    def tap_of(rows):
        return Chain(before, score_tap(kind, heads, [scores[row] for row in rows]))

    apart = decode_rows(network, SOURCE, tap_of, *arguments, (), query, before)
    change = score_tap(kind, heads, scores)
    for draft in ((), apart[2].ids, [7] * 20):
        merged = decode_merged_rows(network, SOURCE, change, *arguments, draft, query, before, is_last=kind == "cross")
        assert [row.ids for row in merged] == [row.ids for row in apart]
        for row, other in zip(merged, apart, strict=True):
            torch.testing.assert_close(torch.tensor(row.chances), torch.tensor(other.chances), atol=2e-6, rtol=0)


def test_merged_rows_run_once_for_each_token_that_is_chosen():
    network = tiny_network(1)
    draft = greedy_batch(network, [SOURCE], max_length=LIMIT)[0]
    scores = [PulledScore(2, 1, delta) for delta in (-40.0, -1.0, 0.0, 0.5, 1.0, 40.0)]
    sizes = []

    def count(name, tensor):
        sizes.extend([len(tensor)] if name == "decoder.embedded" else [])
        return tensor

    change = score_tap("cross", ((1, 0), (1, 1)), scores)
    rows = decode_merged_rows(network, SOURCE, change, len(scores), LIMIT, draft, 2, count)
    chosen = {row.ids[2] for row in rows}
    assert sizes[:2] == [1, 1] and max(sizes) == len(chosen) < len(scores)
