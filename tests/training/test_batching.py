"""Batches by token count."""

import random

from hypothesis import given
from hypothesis import strategies as st

from training.translation import EncodedPair, collate, plan_epoch


def pair(source: int, target: int) -> EncodedPair:
    """A pair of `source` and `target` tokens, start and end tokens included."""
    return EncodedPair([*[5] * (source - 1), 3], [2, *[6] * (target - 2), 3])


PAIRS = st.lists(st.builds(pair, st.integers(1, 40), st.integers(2, 40)), max_size=120)


def positions(pairs: list[EncodedPair], batch: list[int]) -> int:
    """Padded positions that a batch fills on its larger side."""
    source, target = collate([pairs[index] for index in batch], 0)
    return max(source.numel(), target[:, :-1].numel())


@given(PAIRS, st.integers(1, 200), st.integers(0, 5))
def test_every_pair_is_in_exactly_one_batch_and_no_batch_is_empty(pairs, batch_tokens, epoch):
    batches = plan_epoch(pairs, batch_tokens, 1, epoch)
    assert sorted(index for batch in batches for index in batch) == list(range(len(pairs)))
    assert all(batches)


@given(PAIRS, st.integers(1, 200))
def test_no_batch_exceeds_the_limit_unless_it_is_a_single_pair(pairs, batch_tokens):
    for batch in plan_epoch(pairs, batch_tokens, 1, 0):
        assert positions(pairs, batch) <= batch_tokens or len(batch) == 1


def test_batches_are_as_full_as_they_can_be():
    batches = plan_epoch([pair(10, 11)] * 95, 100, 1, 0)
    assert sorted(map(len, batches)) == [5, *[10] * 9]


@given(PAIRS, st.integers(1, 200), st.integers(0, 2**32), st.integers(0, 50))
def test_the_order_depends_on_seed_and_epoch_only(pairs, batch_tokens, seed, epoch):
    random.seed()  # the state of Python's own generator must not matter
    first = plan_epoch(pairs, batch_tokens, seed, epoch)
    random.seed(3)
    assert plan_epoch(pairs, batch_tokens, seed, epoch) == first


def test_another_epoch_and_another_seed_give_another_order():
    pairs = realistic_pairs(500)
    plans = [plan_epoch(pairs, 300, seed, epoch) for seed, epoch in ((1, 0), (1, 1), (2, 0), (2, 1), (1, 12), (11, 2))]
    assert all(plans.count(plan) == 1 for plan in plans)
    grouped = [{frozenset(batch) for batch in plan} for plan in plans]
    assert len(grouped[0] & grouped[1]) < len(grouped[0]) / 2, "pairs must meet other pairs in another epoch"


def test_short_and_long_batches_are_shuffled():
    pairs = realistic_pairs(2000)
    costs = [max(pairs[index].cost for index in batch) for batch in plan_epoch(pairs, 500, 1, 0)]
    rises = sum(later > earlier for earlier, later in zip(costs, costs[1:], strict=False))
    falls = sum(later < earlier for earlier, later in zip(costs, costs[1:], strict=False))
    assert min(rises, falls) > len(costs) / 4


def test_less_than_8_percent_of_the_positions_are_padding_for_everyday_sentences():
    pairs = realistic_pairs(20_000)
    filled = sum(len(p.source) + len(p.target) - 1 for p in pairs)
    total = 0
    for batch in plan_epoch(pairs, 3500, 1, 0):
        source, target = collate([pairs[index] for index in batch], 0)
        total += source.numel() + target[:, :-1].numel()
    assert 1 - filled / total < 0.08


def test_a_window_ends_and_the_next_begins_without_losing_or_repeating_pairs():
    pairs = realistic_pairs(1000)  # a window has 40 x batch_tokens pairs, here 400
    batches = plan_epoch(pairs, 10, 1, 0)
    assert sorted(index for batch in batches for index in batch) == list(range(1000))


def test_collate_pads_each_side_separately():
    source, target = collate([pair(3, 3), pair(1, 5)], 0)
    assert source.tolist() == [[5, 5, 3], [3, 0, 0]]
    assert target.tolist() == [[2, 6, 3, 0, 0], [2, 6, 6, 6, 3]]


def test_the_cost_of_a_pair_is_the_length_of_its_longer_side():
    assert pair(4, 9).cost == 8  # the decoder reads all but the last target token
    assert pair(9, 4).cost == 9


def realistic_pairs(count: int) -> list[EncodedPair]:
    """Lengths like those of the Tatoeba sentences: 9 tokens on average, French a little longer and correlated."""
    drawn = random.Random(0)
    pairs = []
    for _ in range(count):
        source = max(2, round(drawn.lognormvariate(2.1, 0.4)))
        pairs.append(pair(source, max(3, round(source * drawn.gauss(1.15, 0.2)) + 1)))
    return pairs
