"""Two sentences: which tokens correspond, which words of the translation change, and what is measured of them."""

import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.metrics import LogitDifference, Probability, TargetLoss
from model.causal.own_networks import resumable
from model.causal.sentence_pairs import align, pair_sentences, prepare_pair, prepare_sentence
from model.text.tokenizer import Tokenizer
from model.translator import SHIPPED, Translator
from tests.model.networks import tiny_network


@pytest.mark.parametrize(
    ("clean", "corrupt", "expected"),
    [
        ("abcd", "axcd", {"position": [(0, 0), (1, 1), (2, 2), (3, 3)]}),
        ("abc", "abcc", {"start": [(0, 0), (1, 1), (2, 2)]}),
        # one token against two: it may take the place of either
        ("abz", "axyz", {"start": [(0, 0), (1, 1), (2, 3)], "end": [(0, 0), (1, 2), (2, 3)]}),
        # equal lengths, but the words are moved by one
        ("abcz", "bcxz", {"position": [(0, 0), (1, 1), (2, 2), (3, 3)], "start": [(1, 0), (2, 1), (3, 3)]}),
        ("a", "b", {"position": [(0, 0)]}),
    ],
    ids=str,
)
def test_every_way_to_align_is_proposed_once(clean, corrupt, expected):
    assert {name: list(pairs) for name, pairs in align(clean, corrupt).items()} == expected


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(SHIPPED / "tokenizer.model")


@pytest.fixture(scope="module")
def causal():
    return resumable(tiny_network(0).double().requires_grad_(False))


CLEAN, CORRUPT, SHORT = (20, 30, 40, 3), (20, 31, 40, 3), (20, 40, 3)


def test_targets_are_what_the_network_says_after_either_sentence(causal, tokenizer):
    network = causal.network
    for corrupt in (CORRUPT, SHORT, CLEAN):
        pair = pair_sentences(causal, tokenizer, CLEAN, corrupt)
        fed = network.ids([2, *pair.translations[0][:-1]])
        for ids, preferred in ((CLEAN, [t.index for t in pair.targets]), (corrupt, None)):
            logits = network(network.ids(ids), fed)[0]
            logits[:, list(network.config.never_generated)] = -torch.inf
            found = logits.argmax(dim=-1).tolist()
            assert found == (preferred or [t.index if t.other is None else t.other for t in pair.targets])
        assert pair.are_equal == (corrupt == CLEAN)
        assert pair.targets[pair.proposed].changes or not any(target.changes for target in pair.targets)


def test_what_is_measured_and_fed(causal, tokenizer):
    pair = pair_sentences(causal, tokenizer, CLEAN, CORRUPT)
    target = pair.targets[pair.proposed]
    assert target.other is not None
    difference = prepare_pair(causal, tokenizer, pair, target.place, "difference")
    assert difference.metric == LogitDifference(target.index, target.other)
    assert difference.clean[1].tolist() == [[2, *pair.translations[0][: target.place]]]
    assert torch.equal(difference.clean[1], difference.corrupt[1])
    assert prepare_pair(causal, tokenizer, pair, 0, "probability").metric == Probability(pair.targets[0].index)
    whole = prepare_pair(causal, tokenizer, pair, 0, "loss")
    assert whole.metric == TargetLoss(pair.translations[0])
    assert whole.clean[1].shape[1] == len(pair.targets)


def test_a_difference_needs_a_word_that_changes(causal, tokenizer):
    pair = pair_sentences(causal, tokenizer, CLEAN, CLEAN)
    with pytest.raises(CausalError, match="choose another target, or its probability"):
        prepare_pair(causal, tokenizer, pair, 0, "difference")
    with pytest.raises(CausalError, match="There is no target"):
        prepare_pair(causal, tokenizer, pair, len(pair.targets), "loss")


def test_an_alignment_follows_the_direction_and_is_none_where_it_says_nothing(causal, tokenizer):
    same, moved = (pair_sentences(causal, tokenizer, CLEAN, other) for other in (CORRUPT, SHORT))
    assert same.best_alignment == "position" and same.alignment("position", "noising") is None
    assert moved.alignment("start", "denoising") == {"encoder": [(0, 0), (1, 2), (2, 3)]}
    assert moved.alignment("start", "noising") == {"encoder": [(0, 0), (2, 1), (3, 2)]}


def test_a_sentence_for_noise_is_measured_at_a_word_or_over_all():
    translator = Translator.load(device="cpu")
    trace = translator.trace("I want a car.")
    causal, last = translator.resumable, len(trace.next_ids) - 1
    one = prepare_sentence(causal, trace, 2, "probability")
    assert one.measured(None) == Probability(trace.next_ids[2]) and one.clean is one.corrupt
    assert one.clean[1].tolist() == [list(trace.target_ids[:3])]
    assert one.clean_labels["decoder"] == trace.target_tokens[:3]
    whole = prepare_sentence(causal, trace, 0, "loss")
    assert whole.measured(None) == TargetLoss(trace.next_ids) and whole.clean[1].shape[1] == last + 1
    with pytest.raises(CausalError, match="no target 99"):
        prepare_sentence(causal, trace, 99, "probability")
    with pytest.raises(CausalError, match="compares two sentences"):
        prepare_sentence(causal, trace, 0, "difference")
