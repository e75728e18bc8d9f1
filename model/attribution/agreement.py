"""Attribution of each target word to the source words by every method, and which agrees with leave-one-out.

Scores and drops are combined to whole words; then, for each target word, Spearman's rank correlation (Spearman 1904)
measures whether a method ranks the source words as leave-one-out does, and the top-1 agreement whether both name the
same word as the most important one. Neither is enough alone: a rank correlation also counts the order of words that do
not matter, a top-1 agreement nothing but the first. A method agrees best only where both measures state it. `</s>` is
no word of the sentence: it is shown, but it is left out of both.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..networks.transformer import Transformer
from ..runtime.checkpoint import AlteredFileError, CheckpointError, read_json
from ..runtime.progress import InSteps, as_one_call
from ..text.words import Word, by_words, whole_words
from ..tracing.trace import Trace
from ..translator import SHIPPED
from .integrated_source import INTEGRATED, IntegratedSource, integrate_source_in_steps
from .leave_one_out import WAYS, LeaveOneOut
from .source_attention import SourceRollout, cross_attention_means, source_rollout, value_weighted
from .source_gradients import gradient_relevance_in_steps

FILE = "agreement.json"  # next to the weights: the same over many sentences
GRADIENT = "Gradient relevance"
QUICK_METHODS = (
    "Cross-attention, last layer",
    "Cross-attention, all layers",
    "Value-weighted attention",
    "Rollout",
    GRADIENT,
)
METHODS = (*QUICK_METHODS, INTEGRATED)
FEWEST = 3  # values; the order of two values is always the same or opposite, so a correlation is meaningless


@dataclass(frozen=True, eq=False)
class ExplainedTranslation:
    """Scores of one sentence pair by `METHODS`, or by `QUICK_METHODS` alone."""

    # the words of the source and of the translation, special ones included
    source: tuple[Word, ...]
    target: tuple[Word, ...]
    tokens: dict[str, np.ndarray]  # method -> `(T, S)` score of each source token for each target token
    # method -> `(target word, source word)`: summed over the tokens of a source word, averaged over those of a target
    # word
    scores: dict[str, np.ndarray]
    rollout: SourceRollout  # the rollout with the share of earlier target tokens
    integrated: IntegratedSource | None = None

    def add_integrated(self, integrated: IntegratedSource) -> "ExplainedTranslation":
        """The same with integrated gradients as a further method."""
        tokens = self.tokens | {INTEGRATED: integrated.scores}
        scores = self.scores | {INTEGRATED: by_words(integrated.scores, self.target, self.source)}
        return replace(self, tokens=tokens, scores=scores, integrated=integrated)


def explain_in_steps(network: Transformer, trace: Trace, *, integrated: bool = False) -> InSteps[ExplainedTranslation]:
    """Run `QUICK_METHODS` on one trace.

    Args:
        integrated: whether to run all `METHODS`: integrated gradients take seconds.
    """
    by_rollout = source_rollout(trace)
    last_layer, all_layers = cross_attention_means(trace)
    by_gradient = yield from gradient_relevance_in_steps(network, trace)
    results = (last_layer, all_layers, value_weighted(network, trace), by_rollout.source, by_gradient)
    tokens = dict(zip(QUICK_METHODS, results, strict=True))
    source, target = whole_words(trace.tokenizer, trace.source_ids), whole_words(trace.tokenizer, trace.next_ids)
    scores = {method: by_words(score, target, source) for method, score in tokens.items()}
    explained = ExplainedTranslation(source, target, tokens, scores, by_rollout)
    if not integrated:
        return explained
    return explained.add_integrated((yield from integrate_source_in_steps(network, trace)))


explain = as_one_call(explain_in_steps)


def sum_drops_by_word(left_out: LeaveOneOut, target: tuple[Word, ...]) -> np.ndarray:
    """Sum the drops of ln p over the tokens of each target word: `(target word, source word)`."""
    return np.add.reduceat(left_out.drops, [word.start for word in target], axis=0)


@dataclass(frozen=True, eq=False)
class MethodAgreement:
    """Spearman's rank correlation, and top-1 agreement, of every method with leave-one-out."""

    words: int  # number of source words in each correlation
    # method -> one for each target word, special ones included; None if it is not defined
    correlations: dict[str, tuple[float | None, ...]]
    counted: tuple[bool, ...]  # which target words count for the sentence's mean: all but special ones
    # method -> one for each target word, as above: 1 if both name the same source word as the most important one, 0 if
    # not, a share if a method has several equal ones
    top_matches: dict[str, tuple[float | None, ...]]

    def defined(self, method: str) -> list[float]:
        """List the correlations of the target words that count and have one."""
        return self._counting(self.correlations[method])

    def sentence(self, method: str) -> float | None:
        """Return their mean; None if no target word has one."""
        return _mean(self.defined(method))

    def sentence_top(self, method: str) -> float | None:
        """Return the top-1 agreement over the target words that count; None if it is not defined for any."""
        return _mean(self._counting(self.top_matches[method]))

    def best(self, place: int | None = None) -> tuple[str, ...]:
        """List the methods with the highest correlation, for one target word or over the sentence."""
        return _highest(
            {
                method: self.sentence(method) if place is None else values[place]
                for method, values in self.correlations.items()
            }
        )

    def best_top(self, place: int | None = None) -> tuple[str, ...]:
        """List the methods with the highest top-1 agreement, likewise; for one word, all that name its top word."""
        return _highest(
            {
                method: self.sentence_top(method) if place is None else values[place]
                for method, values in self.top_matches.items()
            }
        )

    def best_by_both(self, place: int | None = None) -> tuple[str, ...]:
        """List the methods that agree best by both measures; none where the measures differ."""
        return tuple(method for method in self.best(place) if method in self.best_top(place))

    def _counting(self, values: tuple[float | None, ...]) -> list[float]:
        return [value for value, counts in zip(values, self.counted, strict=True) if counts and value is not None]


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _highest(values: dict[str, float | None]) -> tuple[str, ...]:
    defined = {method: value for method, value in values.items() if value is not None}
    return tuple(method for method, value in defined.items() if value == max(defined.values()))


def correlate_methods(explained: ExplainedTranslation, drops: np.ndarray) -> MethodAgreement:
    """Compare every method with leave-one-out, by its `drops` from `word_drops`."""
    columns = [place for place, word in enumerate(explained.source) if not word.special]

    def compare(measure: Callable[[np.ndarray, np.ndarray], float | None]) -> dict[str, tuple[float | None, ...]]:
        return {
            method: tuple(measure(row[columns], drop[columns]) for row, drop in zip(scores, drops, strict=True))
            for method, scores in explained.scores.items()
        }

    counted = tuple(not word.special for word in explained.target)
    return MethodAgreement(len(columns), compare(spearman), counted, compare(top_match))


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Rank `values` `(n,)` from 1, smallest first; equal values share the mean of their ranks."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[where]


def spearman(first: np.ndarray, second: np.ndarray) -> float | None:
    """Pearson's correlation of the ranks of two `(n,)`: 1 for the same order, -1 for the opposite one.

    None if it is not defined: fewer than three values, or all values of one array equal.

    Raises:
        ValueError: the two differ in length, or contain NaN.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"Two lists of one length are needed, not {first.shape} and {second.shape}.")
    if np.isnan(first).any() or np.isnan(second).any():
        raise ValueError("A value that is no number has no rank.")
    if len(first) < FEWEST:
        return None
    # Deviations from the mean rank, times two: whole numbers, so that equal orders give exactly 1.
    a, b = (2 * average_ranks(values) - (len(values) + 1) for values in (first, second))
    length = float((a @ a) * (b @ b)) ** 0.5
    return float(a @ b) / length if length else None


def top_match(scores: np.ndarray, drops: np.ndarray) -> float | None:
    """The share of the words with the highest of `scores` `(n,)` that have the largest of `drops` `(n,)`, too.

    1 or 0 unless several have the highest score. None as of `spearman`, but for equal scores, which name every word.

    Raises:
        ValueError: as of `spearman`.
    """
    if spearman(scores, drops) is None and (len(drops) < FEWEST or np.ptp(drops) == 0):
        return None
    return float((drops[scores == scores.max()] == drops.max()).mean())


def find_most_displaced(scores: np.ndarray, drops: np.ndarray) -> tuple[int, int, int]:
    """Find where two orders of n > 0 values differ most: index, and ranks by `scores` and `drops` from 1."""
    by_score, by_drop = average_ranks(-scores), average_ranks(-drops)
    place = int(np.abs(by_score - by_drop).argmax())
    return place, round(float(by_score[place])), round(float(by_drop[place]))


def read_measured_agreement(weights_sha256: str, folder: Path = SHIPPED) -> dict | None:
    """Read what `python -m training agreement` measured on these weights; None if it has not been run on them.

    Returns:
        "sentences", "source_words", "target_words", and in "ways" for each way to leave a word out and each method the
        figures of `training.agreement_study.summarize_agreement`.

    Raises:
        AlteredFileError: the file ships and was altered.
    """
    try:
        content = read_json(folder / FILE)
        complete = all(
            set(content["ways"][way]) == set(METHODS)
            and all("top" in content["ways"][way][method] for method in METHODS)
            for way in WAYS
        )
    except AlteredFileError:
        raise
    except (CheckpointError, KeyError, TypeError):
        return None
    return content if complete and content.get("weights_sha256") == weights_sha256 else None


def has_enough_words(words: tuple[Word, ...]) -> bool:
    """True if a rank correlation over these source words is defined."""
    return sum(not word.special for word in words) >= FEWEST
