"""Words, correlations and winners: by hand, and on the tiny network token by token."""

import json

import numpy as np
import pytest

from model.attribution.agreement import (
    FILE,
    METHODS,
    QUICK_METHODS,
    ExplainedTranslation,
    MethodAgreement,
    correlate_methods,
    explain,
    explain_in_steps,
    find_most_displaced,
    has_enough_words,
    read_measured_agreement,
    spearman,
    sum_drops_by_word,
    top_match,
)
from model.attribution.integrated_source import INTEGRATED, integrate_source
from model.attribution.leave_one_out import WAYS, leave_one_out
from model.attribution.source_attention import cross_attention_means, source_rollout, value_weighted
from model.attribution.source_gradients import gradient_relevance_in_steps
from model.causal.causal_error import CausalError
from model.runtime.progress import run_to_end
from model.text.words import Word, whole_words


@pytest.fixture(scope="module")
def explanation(pair):
    return explain(*pair)


def test_every_method_on_tokens_and_on_words(network, trace, explanation):
    last, every = cross_attention_means(trace)
    expected = (last, every, value_weighted(network, trace), source_rollout(trace).source)
    assert tuple(explanation.tokens) == tuple(explanation.scores) == QUICK_METHODS
    for method, scores in zip(
        QUICK_METHODS, (*expected, run_to_end(gradient_relevance_in_steps(network, trace))), strict=True
    ):
        np.testing.assert_allclose(explanation.tokens[method], scores, atol=1e-6)
    assert [word.text for word in explanation.source] == ["the", "cat", "sees", "a", "dog", "</s>"]
    assert [word.text for word in explanation.target] == ["le", "chat", "voit", "un", "chien", "</s>"]
    for row, target in enumerate(explanation.target):
        for column, source in enumerate(explanation.source):
            block = last[target.start : target.end, source.start : source.end]
            assert explanation.scores[METHODS[0]][row, column] == pytest.approx(block.sum(axis=1).mean(), abs=1e-6)


def test_integrated_gradients_are_complete_and_judged_like_the_others(network, trace, explanation):
    result = integrate_source(network, trace)
    assert result.scores.shape == (len(trace.next_ids), len(trace.source_ids))
    np.testing.assert_allclose(result.scores.sum(axis=1) + result.gaps, result.rises, atol=1e-9)
    assert np.abs(result.gaps).max() < 0.05 * np.abs(result.rises).max()
    both = run_to_end(explain_in_steps(network, trace, integrated=True))
    assert tuple(both.scores) == METHODS and both.integrated is not None
    assert both.integrated.points == 32 and both.integrated.missing < 0.05
    np.testing.assert_array_equal(both.tokens[INTEGRATED], result.scores)
    drops = sum_drops_by_word(leave_one_out(network, trace, both.source, "mask"), both.target)
    agreement, before = correlate_methods(both, drops), correlate_methods(explanation, drops)
    columns = [place for place, word in enumerate(both.source) if not word.special]
    assert agreement.correlations[INTEGRATED][0] == spearman(both.scores[INTEGRATED][0, columns], drops[0, columns])
    assert {method: agreement.correlations[method] for method in QUICK_METHODS} == before.correlations


def test_more_points_miss_less_of_completeness(network, trace):
    few, many = (integrate_source(network, trace, points=points) for points in (2, 64))
    assert many.missing < few.missing and few.points == 2
    with pytest.raises(CausalError, match="points at least 1"):
        integrate_source(network, trace, points=0)


def test_drops_of_words_are_sums_over_their_tokens(network, trace, explanation):
    result = leave_one_out(network, trace, explanation.source, "mask")
    drops = sum_drops_by_word(result, explanation.target)
    assert drops.shape == (6, 6)
    for row, word in enumerate(explanation.target):
        np.testing.assert_allclose(drops[row], result.drops[word.start : word.end].sum(axis=0))


def explanation_of(scores: list[list[float]], source: list[bool], target: list[bool]):
    """An explanation with one method; `source` and `target` say which words are special."""
    words = [tuple(Word(str(n), n, n + 1, special) for n, special in enumerate(side)) for side in (source, target)]
    return ExplainedTranslation(*words, {}, {"a": np.array(scores)}, None)


def test_correlations_by_hand_leave_special_words_out():
    scores = [[1.0, 2, 3, 99], [3, 2, 1, 99], [5, 5, 5, 0], [1, 2, 3, 4]]
    drops = np.array([[10.0, 30, 20, -99], [1, 2, 3, -99], [1, 2, 3, 4], [1, 2, 3, 4]])
    result = correlate_methods(explanation_of(scores, [False, False, False, True], [False, False, False, True]), drops)
    assert result.words == 3
    assert result.correlations == {"a": (0.5, -1.0, None, 1.0)}
    assert result.defined("a") == [0.5, -1.0]  # </s> of the target does not count, nor a word without an order
    assert result.sentence("a") == -0.25
    assert result.top_matches == {"a": (0, 0, pytest.approx(1 / 3), 1)}
    assert result.sentence_top("a") == pytest.approx(1 / 9)  # equal scores name every word; </s> does not count


def test_two_words_have_no_correlation():
    result = correlate_methods(explanation_of([[1.0, 2, 3]], [False, False, True], [False]), np.array([[1.0, 2, 3]]))
    assert result.correlations == {"a": (None,)}
    assert result.sentence("a") is None and result.best() == () and result.best(0) == ()


def test_the_best_method_and_ties():
    tops = {"a": (0.0, 1.0), "b": (1.0, 1.0), "c": (None, None)}
    result = MethodAgreement(3, {"a": (0.5, 1.0), "b": (0.5, -1.0), "c": (None, None)}, (True, True), tops)
    assert result.best(0) == ("a", "b")
    assert result.best(1) == result.best() == ("a",)
    assert (result.best_top(0), result.best_top(1), result.best_top()) == (("b",), ("a", "b"), ("b",))
    assert (result.sentence_top("a"), result.sentence_top("b"), result.sentence_top("c")) == (0.5, 1, None)
    # agrees best only where both measures say so
    assert (result.best_by_both(0), result.best_by_both(1), result.best_by_both()) == (("b",), ("a",), ())


def test_the_same_top_word_by_hand():
    drops = np.array([0.1, 3.0, 0.2])
    assert top_match(np.array([1.0, 5, 2]), drops) == 1
    assert top_match(np.array([5.0, 1, 2]), drops) == 0
    assert top_match(np.array([2.0, 2, 1]), drops) == 0.5  # two first words, one of them the right one
    assert top_match(np.array([1.0, 1, 1]), drops) == pytest.approx(1 / 3)
    assert top_match(np.array([1.0, 5, 2]), np.ones(3)) is None  # no word matters more than another
    assert top_match(np.array([1.0, 5]), drops[:2]) is None  # too few, as for the correlation
    with pytest.raises(ValueError, match="no number"):
        top_match(np.array([1.0, np.nan, 2]), drops)


def test_words_that_do_not_matter_change_the_correlation_but_not_the_top_word():
    drops, scores = np.array([5.0, 0.02, 0.01, 0.03, 0.0]), np.array([9.0, 1.0, 2.0, 0.5, 3.0])
    assert top_match(scores, drops) == 1 and spearman(scores, drops) < 0.1


def test_the_most_displaced_word():
    # by score: 1st, 2nd, 3rd, 4th; by drop: 2nd, 3rd, 4th, 1st
    assert find_most_displaced(np.array([9.0, 8, 7, 6]), np.array([3.0, 2, 1, 4])) == (3, 4, 1)


def test_three_words_are_enough():
    three = (Word("a", 0, 1), Word("b", 1, 2), Word("c", 2, 3), Word("</s>", 3, 4, True))
    assert has_enough_words(three) and not has_enough_words(three[1:])


def test_figures_are_bound_to_the_weights_they_were_measured_on(tmp_path):
    figures = {"weights_sha256": "abc", "ways": {way: dict.fromkeys(METHODS, {"top": {}}) for way in WAYS}}
    earlier = {"weights_sha256": "abc", "ways": {way: dict.fromkeys(METHODS, {}) for way in WAYS}}
    path = tmp_path / FILE
    assert read_measured_agreement("abc", tmp_path) is None
    path.write_text(json.dumps(figures))
    assert read_measured_agreement("abc", tmp_path) == figures
    assert read_measured_agreement("abd", tmp_path) is None
    for damaged in (
        json.dumps(earlier),
        "{",
        "[]",
        "{}",
        json.dumps({**figures, "ways": {}}),
        json.dumps({**figures, "ways": 3}),
    ):
        path.write_text(damaged)
        assert read_measured_agreement("abc", tmp_path) is None


def test_words_of_the_source_are_those_of_its_text(trace):
    assert " ".join(word.text for word in whole_words(trace.tokenizer, trace.source_ids)[:-1]) == trace.source_text
