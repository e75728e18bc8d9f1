"""Every question of the course on its fixed sentence, where the effect must show, and on ten others."""

import math

import numpy as np
import pytest
import torch

from model import Translator, VisionClassifier
from model.course import attention_outcomes, decoder_outcomes, picture_outcomes, sentences, stream_outcomes
from model.course.outcome import AskedOutcome
from model.lessons.growing_sentence import LengtheningLosses, add_clauses
from tests.tiers import nightly
from views.controls import samples

OTHERS = (
    "The small dog sleeps on the chair.",
    "I want to buy a car.",
    "My brother works in a hospital in the city.",
    "The teacher gave the children a book.",
    "We will eat at seven o'clock because it is late.",
    "She is wearing a small red dress.",
    "No.",
    "He has not been able to come because he is ill.",
    "Tom, who is 12, likes \u201cfootball\u201d!",
    "Go home Go home",
)
EVERY = (*sentences.FIXED.values(), *OTHERS)
LAYER = 3


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def traces(translator):
    return {text: translator.trace(text) for text in EVERY}


def check(outcome: AskedOutcome) -> None:
    """One option holds, and no other one is both wrong and nearly tied."""
    assert outcome.verdict(outcome.right) == "held" and outcome.near <= set(outcome.options) - {outcome.right}
    assert all(math.isfinite(figure) for figure in outcome.figures.values())


def test_the_ribbons_of_an_article(traces):
    for trace in traces.values():
        result = attention_outcomes.read_ribbons(trace, LAYER)
        check(result.strongest)
        check(result.spread)
        np.testing.assert_allclose(result.weights.sum(axis=1), 1, atol=1e-6)
    trace = traces[sentences.FIXED["attention-ribbons"]]
    result = attention_outcomes.read_ribbons(trace, LAYER)
    weights = dict(zip((token.strip() for token in trace.source_tokens), result.weights[result.place], strict=True))
    assert trace.next_tokens[result.place].strip() == "la"
    assert max(weights, key=lambda token: weights[token]) == "chair" and weights["chair"] - weights["the"] > 0.05


def test_a_word_in_two_sentences(translator):
    for text in EVERY:
        word = stream_outcomes.word_to_follow(translator.tokenizer, text)
        pair = text, sentences.with_word(word)
        result = stream_outcomes.compare_word(translator.network, translator.tokenizer, *pair, word)
        check(result.vector)
        check(result.tokens)
        same = result.followed.cosines[0, 0] > 1 - 1e-6
        assert (result.vector.right == "first") == (same and result.followed.cosines[0, -1] < 1 - 1e-6)
    assert stream_outcomes.word_to_follow(translator.tokenizer, "12 + 3") == ""
    first = sentences.FIXED["tokens-step-by-step"]
    result = stream_outcomes.compare_word(translator.network, translator.tokenizer, first, *sentences.OTHER_SENTENCE)
    assert result.vector.right == "first" and result.followed.cosines[0, -1] < 0.8


def test_an_added_score_changes_all_other_weights_by_one_factor(traces):
    for trace in traces.values():
        result = attention_outcomes.add_to_score(trace, LAYER, 0)
        check(result.half)
        assert result.others.right == "factor"
        rest = np.arange(len(result.before)) != result.key
        np.testing.assert_allclose(result.after[rest], result.others.figures["factor"] * result.before[rest])
        raised = result.scores.copy()
        raised[result.key] += result.numbers[int(result.half.right)]
        assert math.isclose((np.exp(raised) / np.exp(raised).sum())[result.key], 0.5, rel_tol=1e-6)


def test_without_positions_the_encoder_has_no_order(translator, traces):
    for trace in traces.values():
        result = stream_outcomes.without_positions(translator.network, translator.tokenizer, trace)
        check(result.translation)
        if result.swapped:
            assert result.outputs.right == "none" and result.outputs.figures["with"] > 0.1
    result = stream_outcomes.without_positions(
        translator.network, translator.tokenizer, traces[sentences.FIXED["positions-table"]]
    )
    assert result.translation.right == "order" and result.text == "Le jardin est dans la chaise."
    assert result.translation.figures["after"] > 2 * result.translation.figures["before"]


def test_no_two_words_are_swapped_where_there_are_none(translator):
    assert stream_outcomes.swap_words(translator.tokenizer, "Go.") == ""
    assert stream_outcomes.swap_words(translator.tokenizer, "12 + 3") == ""


def test_averaged_heads_translate_worse(translator, traces):
    for trace in traces.values():
        result = attention_outcomes.average_heads(translator.network, trace, LAYER)
        check(result.loss)
        check(result.cheapest)
    trace = traces[sentences.FIXED["inside-heads"]]
    result = attention_outcomes.average_heads(translator.network, trace, LAYER)
    before, after = (result.loss.figures[name] for name in ("before", "after"))
    assert result.loss.right == "more" and after > 3 * before
    assert before == pytest.approx(translator.score(trace).mean(), abs=1e-5)
    single = [translator.loss_without(trace, ("cross", LAYER, head)) for head in range(len(result.losses))]
    np.testing.assert_allclose(result.losses, single, atol=1e-5)


def test_no_earlier_position_sees_a_replaced_token(translator, traces):
    for trace in traces.values():
        result = decoder_outcomes.replace_token(translator.network, trace)
        check(result.hidden)
        length = len(trace.target_ids)
        assert result.earlier.right == "none" and result.earlier.figures["masked"] == 0
        assert result.numbers[int(result.hidden.right)] == length * (length - 1) // 2
        assert result.position == 0 or result.earlier.figures["unmasked"] > 0.01


def test_what_a_layer_adds(translator, traces):
    for trace in traces.values():
        result = stream_outcomes.measure_layer(translator.network, trace, 1, sentences.PRONOUNS)
        check(result.larger)
        check(result.fired)
        assert result.fired.figures["count"] == (trace.encoder_hidden[1, result.place] > 0).sum()
    trace = traces[sentences.FIXED["inside-add-norm"]]
    result = stream_outcomes.measure_layer(translator.network, trace, 1, sentences.PRONOUNS)
    assert trace.source_tokens[result.place].strip() == "it" and result.larger.right == "ffn"
    assert result.larger.figures["ffn"] - result.larger.figures["self"] > 0.2


def test_temperature_keeps_the_order(translator, traces):
    for trace in traces.values():
        result = decoder_outcomes.heat(trace)
        assert result.order.right == "same" and result.after[0] < result.before[0]
        logits = torch.from_numpy(trace.logits[result.place]).double()
        ids = [each.id for each in result.row.top]
        np.testing.assert_allclose(result.after[:-1], (logits / 2).softmax(-1)[ids], rtol=1e-6)
        assert result.before.sum() == pytest.approx(1) == result.after.sum() and result.others == len(logits) - 5
    text = sentences.FIXED["decoding-step"]
    *_, last = translator.stream(text, sentences.BEAM)
    outcome = decoder_outcomes.compare_beam(traces[text], translator.trace(text, target_ids=last.ids))
    assert outcome.right == "more" and outcome.figures["beam"] - outcome.figures["greedy"] > 0.1
    assert decoder_outcomes.compare_beam(traces[text], traces[text]).right == "same"


def test_the_most_expensive_token(translator, traces):
    for trace in traces.values():
        result = decoder_outcomes.largest_loss(trace)
        check(result.largest)
        np.testing.assert_allclose(result.terms, translator.score(trace), atol=1e-4)
        assert result.numbers[int(result.halved.right)] == pytest.approx(math.log(2) / len(result.terms))
    trace = traces[sentences.FIXED["loss-tokens"]]
    result = decoder_outcomes.largest_loss(trace)
    assert trace.next_tokens[int(result.largest.right)].strip() == "la" and result.largest.figures["share"] > 0.35
    assert [trace.next_tokens[int(place)].strip() for place in result.largest.near] == ["Le"]  # the second


def test_a_hidden_key(translator, traces):
    for trace in traces.values():
        result = attention_outcomes.hide_keys(translator.network, trace, LAYER)
        check(result.word)
        check(result.matters)
    trace = traces[sentences.FIXED["attention-limits"]]
    result = attention_outcomes.hide_keys(translator.network, trace, LAYER)
    assert trace.next_tokens[result.place].strip() == "fr\u00e8re" and result.weights.max() > 0.95
    assert result.word.right == "stays" and 0 < result.stays.sum() < len(result.stays)
    assert not result.word.near and result.word.figures["gap"] > 0.05
    every = trace.cross_attention[:3, :, result.place].mean(axis=1)[:, result.weights[result.place].argmax()]
    np.testing.assert_allclose(result.others, every, rtol=1e-6)
    assert (result.others > 1 / len(trace.source_ids)).all()  # the other layers read it, too


@pytest.fixture(scope="module")
def classifier() -> VisionClassifier:
    return VisionClassifier.load(device="cpu")


@pytest.mark.parametrize(
    "name", [sentences.PICTURE, *(nightly(name) for name in samples.NAMES if name != sentences.PICTURE)]
)
def test_shuffled_patches(classifier, name):
    trace = classifier.trace(classifier.prepare(samples.picture(name).image))
    result = picture_outcomes.shuffle_patches(classifier, trace)
    check(result.change)
    check(result.strongest)
    assert result.change.right == "none" and sorted(result.order) == list(range(14 * 14))
    assert result.answers[0, 0] == pytest.approx(trace.probabilities.max(), abs=1e-5)
    assert result.answers[0, 1] == pytest.approx(result.answers[1, 1], abs=1e-6)
    if name == sentences.PICTURE:
        assert result.change.figures["with"] > 0.5


@pytest.mark.parametrize(
    ("vector", "additive", "right", "near"),
    [(0.7, 0.1, "vector", set()), (0.1, 0.5, "additive", set()), (0.3, 0.32, "additive", {"vector"})],
)
def test_whose_loss_rises_more(translator, vector, additive, right, near):
    pairs = add_clauses(translator, "No.", "Non.")
    losses = [LengtheningLosses(np.zeros(2), np.array([1, 1 + rise]), 1, 0.0) for rise in (vector, additive)]
    outcome = decoder_outcomes.compare_rises(pairs, *losses)
    assert (outcome.right, outcome.near) == (right, near)
