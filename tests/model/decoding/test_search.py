"""Greedy, sampling and beam search, compared with the implementation in tests/model/decoding/reference.py."""

import math
import random
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.decoding.search import DecodingOptions, beam_search, greedy_batch, sampling_probabilities, stream
from tests.model.decoding import reference as plain
from tests.model.half_trained import half_trained_network, random_sentences
from tests.model.networks import tiny_network

SENTENCES = random_sentences(12, 24, random.Random(5))
LETTERS = random_sentences(5, 7, random.Random(6))
SPECIAL = {plain.PAD, plain.UNK, plain.BOS}


@pytest.fixture(scope="module")
def network():
    """24 tokens, moderately certain predictions."""
    return half_trained_network(24, 110)


@pytest.fixture(scope="module")
def small_network():
    """7 tokens, three of them special: few enough to try every translation."""
    return half_trained_network(7, 40)


def ids_of(network, source, **options) -> list[int]:
    return list(list(stream(network, source, DecodingOptions(**options)))[-1].ids)


def test_greedy_with_a_cache_equals_greedy_without_token_for_token(network):
    produced = [ids_of(network, source, max_length=4) for source in SENTENCES]
    assert produced == [plain.greedy(network, source, 4) for source in SENTENCES]
    lengths = {len(ids) for ids in produced if ids[-1] == plain.EOS}
    assert len(lengths) >= 2, "the examples must end at different lengths to show anything"
    assert any(ids[-1] != plain.EOS for ids in produced), "and one must be cut off"


def test_the_cache_grows_with_translations_of_any_length():
    endless = tiny_network()  # random weights repeat themselves and never end
    expected = plain.greedy(endless, [9, 8, 7, 3], 80)
    assert len(expected) == 80
    assert ids_of(endless, [9, 8, 7, 3], max_length=80) == expected
    assert greedy_batch(endless, [[9, 8, 7, 3], [5, 3]], 80)[0] == expected
    best = beam_search(endless, [9, 8, 7, 3], DecodingOptions("beam", beam=3, max_length=40))
    assert [hypothesis.ids for hypothesis in best] == [ids for ids, _ in plain.beam(endless, [9, 8, 7, 3], 3, 0.6, 40)]
    assert len(best[0].ids) == 40


@pytest.mark.parametrize("seed", [0, 1])
def test_sampling_with_a_cache_equals_sampling_without_token_for_token(network, seed):
    for source in SENTENCES:
        generator = torch.Generator().manual_seed(seed)
        ids: list[int] = []
        while len(ids) < 9 and plain.EOS not in ids:
            logits = plain.allowed(plain.next_logits(network, source, ids))
            weights = sampling_probabilities(logits, 1.3, 6, 0.95)
            ids.append(int(torch.multinomial(weights, 1, generator=generator)))
        options = dict(method="sampling", temperature=1.3, top_k=6, top_p=0.95, seed=seed, max_length=9)
        assert ids_of(network, source, **options) == ids


@pytest.mark.parametrize(("width", "alpha"), [(2, 0.0), (3, 0.6), (4, 1.0), (6, 2.0)])
def test_beam_search_with_a_cache_equals_beam_search_without(network, width, alpha):
    for source in SENTENCES[:6]:
        options = DecodingOptions("beam", beam=width, length_penalty=alpha, max_length=8)
        result = beam_search(network, source, options)
        expected = plain.beam(network, source, width, alpha, 8)
        assert [hypothesis.ids for hypothesis in result] == [ids for ids, _ in expected]
        assert [hypothesis.score for hypothesis in result] == pytest.approx([score for _, score in expected], abs=1e-4)


def test_a_batch_of_padded_sentences_equals_single_sentences(network):
    assert len({len(source) for source in SENTENCES}) >= 4
    for length in (1, 6, 12):
        together = greedy_batch(network, SENTENCES, length)
        assert together == [ids_of(network, source, max_length=length) for source in SENTENCES]


def test_a_beam_of_1_is_greedy(network, small_network):
    for source in SENTENCES + LETTERS:
        for chosen, alpha in ((network, 0.6), (network, 3.0), (small_network, 0.0), (small_network, 2.0)):
            if max(source) < chosen.config.vocabulary_size:
                greedy = ids_of(chosen, source, max_length=8)
                assert ids_of(chosen, source, method="beam", beam=1, length_penalty=alpha, max_length=8) == greedy


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
@pytest.mark.parametrize("max_length", [1, 3, 4])
def test_a_beam_as_wide_as_all_hypotheses_finds_what_exhaustive_search_finds(small_network, alpha, max_length):
    every = plain.every_translation(7, max_length)
    for source in LETTERS[:3]:
        scored = {ids: plain.log_probability(small_network, source, ids) for ids in every}
        best_first = sorted(every, key=lambda ids: -plain.normalise(scored[ids], len(ids), alpha))
        options = DecodingOptions("beam", beam=len(every) + 10, length_penalty=alpha, max_length=max_length)
        result = beam_search(small_network, source, options)
        assert result[0].ids == best_first[0]
        assert {hypothesis.ids for hypothesis in result} == set(every)
        for hypothesis in result:
            assert hypothesis.log_probability == pytest.approx(scored[hypothesis.ids], abs=1e-4)
        totals = math.fsum(math.exp(hypothesis.log_probability) for hypothesis in result)
        assert totals < 1, "special pieces keep a share of the probability"


def test_scores_are_log_probabilities_over_the_length_penalty_of_wu_et_al(network):
    for alpha in (0.0, 0.6, 1.0):
        options = DecodingOptions("beam", beam=4, length_penalty=alpha, max_length=10)
        for source in SENTENCES[:4]:
            result = beam_search(network, source, options)
            assert len(result) == 4
            for hypothesis in result:
                total = plain.log_probability(network, source, hypothesis.ids)
                assert hypothesis.log_probability == pytest.approx(total, abs=1e-4)
                expected = plain.normalise(total, len(hypothesis.ids), alpha)
                assert hypothesis.score == pytest.approx(expected, abs=1e-4)
            assert [h.score for h in result] == sorted((h.score for h in result), reverse=True)


def test_a_length_penalty_of_7_tokens_at_alpha_1_divides_by_2(network):
    options = DecodingOptions("beam", beam=3, length_penalty=1.0, max_length=7)
    result = [h for source in SENTENCES for h in beam_search(network, source, options) if len(h.ids) == 7]
    assert result
    assert all(hypothesis.score == pytest.approx(hypothesis.log_probability / 2) for hypothesis in result)


def test_the_last_step_of_a_streamed_beam_is_the_winner(network):
    for source in SENTENCES:
        options = DecodingOptions("beam", beam=4, max_length=8)
        steps = list(stream(network, source, options))
        winner = beam_search(network, source, options)[0]
        assert steps[-1].ids == winner.ids
        assert steps[-1].finished and not any(step.finished for step in steps[:-1])


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
def test_every_step_reports_the_networks_own_probabilities_and_its_five_best(network, method):
    for source in SENTENCES[:6]:
        for step in stream(network, source, DecodingOptions(method, max_length=8, temperature=2.0)):
            assert step.id == step.ids[-1]
            expected = plain.next_logits(network, source, list(step.ids[:-1])).softmax(0)
            assert step.probability == pytest.approx(float(expected[step.id]), abs=1e-5)
            best = expected.topk(5)
            assert [token for token, _ in step.top] == best.indices.tolist()
            assert [share for _, share in step.top] == pytest.approx(best.values.tolist(), abs=1e-5)


@pytest.mark.parametrize("method", ["greedy", "sampling"])
def test_a_stream_grows_by_one_token_a_step_and_ends_once(network, method):
    for source in SENTENCES:
        steps = list(stream(network, source, DecodingOptions(method, max_length=5)))
        assert [len(step.ids) for step in steps] == list(range(1, len(steps) + 1))
        assert all(later.ids[:-1] == earlier.ids for earlier, later in zip(steps, steps[1:], strict=False))
        assert [step.finished for step in steps] == [False] * (len(steps) - 1) + [True]
        assert steps[-1].id == plain.EOS or len(steps) == 5


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
@pytest.mark.parametrize("max_length", [1, 2, 5])
def test_no_translation_is_longer_than_max_length(method, max_length):
    endless = tiny_network()  # random weights repeat themselves and never end
    ids = ids_of(endless, [5, 6, 3], method=method, max_length=max_length)
    assert len(ids) == max_length
    assert [len(row) for row in greedy_batch(endless, [[5, 3], [6, 7, 3]], max_length)] == [max_length] * 2


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
def test_no_translation_is_longer_than_the_network_has_positions(method):
    endless = tiny_network(max_positions=7)
    assert len(ids_of(endless, [5, 6, 3], method=method)) == 7
    assert len(greedy_batch(endless, [[5, 6, 3]])[0]) == 7


@pytest.mark.parametrize("options", [dict(), dict(method="beam", beam=30), dict(method="sampling", temperature=50.0)])
def test_special_tokens_are_never_produced_even_where_they_are_the_most_probable(options):
    network = tiny_network(vocabulary_size=7)
    with torch.no_grad():
        network.embedding.weight[[1, 2]] = network.embedding.weight[4] * 3
    firsts = set()
    for source in LETTERS:
        firsts.add(int(plain.next_logits(network, source, []).argmax()))
        for seed in range(5):
            for step in stream(network, source, DecodingOptions(max_length=6, seed=seed, **options)):
                assert not SPECIAL & set(step.ids)
        assert not SPECIAL & set(greedy_batch(network, [source], 6)[0])
    assert firsts & SPECIAL, "the network must want a special piece for this to show anything"


def test_the_same_seed_gives_the_same_sample_and_others_differ(network):
    def draw(seed):
        return tuple(ids_of(network, SENTENCES[1], method="sampling", temperature=1.5, seed=seed, max_length=8))

    assert draw(11) == draw(11)
    assert len({draw(seed) for seed in range(12)}) >= 6


def test_samples_have_the_frequencies_of_their_probabilities(small_network):
    source, draws = LETTERS[0], 500
    logits = plain.allowed(plain.next_logits(small_network, source, []))
    expected = (logits / 1.5).softmax(0)[3:].double() * draws
    options = [DecodingOptions("sampling", temperature=1.5, seed=seed, max_length=1) for seed in range(draws)]
    counted = Counter(next(stream(small_network, source, option)).id for option in options)
    squares = sum((counted[token] - float(mean)) ** 2 / float(mean) for token, mean in enumerate(expected, start=3))
    assert expected.min() > 5, "every piece must be expected often enough for the bound to hold"
    assert squares < 21.1  # chi-square with 3 degrees of freedom exceeds this once in 10,000


def test_a_temperature_near_0_samples_greedily(network):
    for source in SENTENCES:
        cold = ids_of(network, source, method="sampling", temperature=1e-300, max_length=8)
        assert cold == ids_of(network, source, max_length=8)


# 1/2, 1/4, 1/8, 1/8, so that every sum is exact
HALVES = torch.tensor([0.5, 0.125, 0.25, 0.125]).log()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (dict(), [1 / 2, 1 / 8, 1 / 4, 1 / 8]),
        (dict(temperature=0.5), [16 / 22, 1 / 22, 4 / 22, 1 / 22]),
        (dict(top_k=1), [1, 0, 0, 0]),
        (dict(top_k=2), [2 / 3, 0, 1 / 3, 0]),
        (dict(top_k=3), [1 / 2, 1 / 8, 1 / 4, 1 / 8]),  # equals of the third stay
        (dict(top_k=9), [1 / 2, 1 / 8, 1 / 4, 1 / 8]),
        (dict(top_p=0.5), [1, 0, 0, 0]),
        (dict(top_p=0.51), [2 / 3, 0, 1 / 3, 0]),
        (dict(top_p=0.75), [2 / 3, 0, 1 / 3, 0]),
        (dict(top_p=1e-300), [1, 0, 0, 0]),
        (dict(top_k=2, top_p=0.6), [1, 0, 0, 0]),  # after top_k the first has 2/3
        (dict(temperature=0.5, top_k=2), [4 / 5, 0, 1 / 5, 0]),
        (dict(temperature=0.5, top_p=0.75), [4 / 5, 0, 1 / 5, 0]),
    ],
)
def test_temperature_top_k_and_top_p_give_these_distributions(options, expected):
    torch.testing.assert_close(sampling_probabilities(HALVES, **options), torch.tensor(expected, dtype=torch.float32))


LOGITS = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=20).map(torch.tensor)
TEMPERATURES = st.floats(1e-3, 1e3) | st.sampled_from([5e-324, 1e-45, 1e30])
SHARES = st.floats(0, 1, exclude_min=True)


@given(LOGITS, TEMPERATURES, st.integers(0, 25), SHARES)
def test_any_filtering_leaves_a_distribution_in_the_order_of_the_logits(logits, temperature, top_k, top_p):
    probabilities = sampling_probabilities(logits, temperature, top_k, top_p)
    assert probabilities.shape == logits.shape
    assert float(probabilities.sum()) == pytest.approx(1, abs=1e-5)
    assert (probabilities >= 0).all()
    assert probabilities[logits.argmax()] == probabilities.max()
    allowed = probabilities > 0
    order = logits[allowed].argsort(stable=True)
    assert (probabilities[allowed][order].diff() >= 0).all()
    if not allowed.all():
        assert logits[~allowed].max() <= logits[allowed].min()


@given(LOGITS, st.integers(1, 25))
def test_top_k_keeps_exactly_those_with_fewer_than_k_above_them(logits, top_k):
    allowed = sampling_probabilities(logits, 40.0, top_k) > 0
    above = (logits[None] > logits[:, None]).sum(1)
    assert torch.equal(allowed, above < top_k)


@given(LOGITS, SHARES)
def test_top_p_keeps_the_smallest_set_with_the_share(logits, top_p):
    everything = logits.double().softmax(0)
    allowed = sampling_probabilities(logits, top_p=top_p) > 0
    share = float(everything[allowed].sum())
    assert share >= top_p - 1e-5
    if int(allowed.sum()) > 1:
        assert share - float(everything[allowed].min()) < top_p + 1e-5


def test_filtering_never_restores_an_impossible_token():
    logits = torch.tensor([-math.inf, 1.0, -math.inf, 0.0])
    for top_k in (0, 1, 3, 4):
        assert sampling_probabilities(logits, top_k=top_k)[[0, 2]].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(method="best"), "There is no method 'best'; choose greedy, beam or sampling."),
        (dict(beam=0), "beam is 0; it must be at least 1."),
        (dict(top_k=-1), "top_k is -1; it must be at least 0."),
        (dict(max_length=0), "max_length is 0; it must be at least 1."),
        (dict(seed=-1), "seed is -1; it must be at least 0."),
        (dict(seed=2**64), f"seed is {2**64}; it must be below 2^64."),
        (dict(temperature=0.0), "temperature is 0.0; it must be above 0."),
        (dict(temperature=-1.0), "temperature is -1.0; it must be above 0."),
        (dict(temperature=math.inf), "temperature is inf; it must be above 0."),
        (dict(temperature=math.nan), "temperature is nan; it must be above 0."),
        (dict(top_p=0.0), "top_p is 0.0; it must lie above 0 and at most at 1."),
        (dict(top_p=1.1), "top_p is 1.1; it must lie above 0 and at most at 1."),
        (dict(top_p=math.nan), "top_p is nan; it must lie above 0 and at most at 1."),
    ],
)
def test_an_option_out_of_range_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError) as error:
        DecodingOptions(**changes)
    assert str(error.value) == sentence


def test_the_largest_seed_works(network):
    assert ids_of(network, SENTENCES[0], method="sampling", seed=2**64 - 1, max_length=3)
