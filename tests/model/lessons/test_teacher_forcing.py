"""Forced and free runs of a network that never ends: inputs, predictions, and where the two diverge."""

import pytest

from model.lessons.teacher_forcing import compare_runs, shift_right
from model.tracing.trace import record_trace
from tests.model.decoding import reference as plain
from tests.model.networks import tiny_network

NEVER = (plain.PAD, plain.UNK, plain.BOS)
SOURCE = [9, 5, 12, 3]


@pytest.fixture(scope="module")
def network(tokenizer):
    return tiny_network(vocabulary_size=len(tokenizer))


def trace_of(network, tokenizer, following, source=SOURCE):
    return record_trace(network, tokenizer, source, [plain.BOS, *following[:-1]], list(following))


@pytest.fixture
def greedy_trace(network, tokenizer):
    return trace_of(network, tokenizer, plain.greedy(network, SOURCE, 7))


def test_the_decoder_is_fed_the_target_shifted_right(network, tokenizer, greedy_trace):
    target = [20, 21, 22, plain.EOS]
    compared = compare_runs(trace_of(network, tokenizer, target), greedy_trace, NEVER)
    assert [row.fed for row in compared.forced] == [plain.BOS, 20, 21, 22]
    assert [row.target for row in compared.forced] == target
    assert [row.fed for row in compared.free] == [plain.BOS, *greedy_trace.next_ids[:-1]]
    assert [row.generated for row in compared.free] == list(greedy_trace.next_ids)


def test_the_prediction_equals_greedy_decoding(network, tokenizer, greedy_trace):
    target = [20, 21, 22, plain.EOS]
    for place, row in enumerate(compare_runs(trace_of(network, tokenizer, target), greedy_trace, NEVER).forced):
        logits = plain.next_logits(network, SOURCE, target[:place])
        shares = logits.softmax(0)
        assert row.predicted == int(plain.allowed(logits).argmax())
        assert row.predicted_probability == pytest.approx(float(shares[row.predicted]), abs=1e-6)
        assert row.target_probability == pytest.approx(float(shares[target[place]]), abs=1e-6)
        assert row.rank == 1 + int((shares > shares[target[place]]).sum())


def test_the_networks_own_translation_never_diverges(network, tokenizer, greedy_trace):
    compared = compare_runs(trace_of(network, tokenizer, list(greedy_trace.next_ids)), greedy_trace, NEVER)
    assert compared.diverges_at is None
    assert compared.correct == len(greedy_trace.next_ids)
    assert compared.shared_difference < 1e-5


def test_the_position_of_divergence(network, tokenizer, greedy_trace):
    for place in range(1, 4):
        changed = list(greedy_trace.next_ids)
        changed[place] = 50 if changed[place] != 50 else 51
        compared = compare_runs(trace_of(network, tokenizer, changed), greedy_trace, NEVER)
        assert compared.diverges_at == place
        assert compared.shared_difference < 1e-4  # up to there both have read the same tokens
        assert compared.forced[place].predicted == greedy_trace.next_ids[place]


def test_a_shorter_target_diverges_where_it_ends(network, tokenizer, greedy_trace):
    compared = compare_runs(trace_of(network, tokenizer, list(greedy_trace.next_ids[:2])), greedy_trace, NEVER)
    assert compared.diverges_at == 2
    assert len(compared.forced) == 2 and len(compared.free) == len(greedy_trace.next_ids)


def test_two_sentences_are_refused(network, tokenizer, greedy_trace):
    other = trace_of(network, tokenizer, [20, plain.EOS], source=[8, 3])
    with pytest.raises(ValueError, match="same sentence"):
        compare_runs(other, greedy_trace)


def test_a_target_is_shifted_right_by_one():
    positions = shift_right(("a", "b"))
    assert [(each.reads, each.expected) for each in positions] == [("<s>", "a"), ("a", "b"), ("b", "</s>")]
    assert [each.seen for each in positions] == [("<s>",), ("<s>", "a"), ("<s>", "a", "b")]
    assert [each.expected for each in shift_right(())] == ["</s>"]
