"""Attribution scores of one sentence by every method, and its agreement with leave-one-out; computed once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from model import Trace
from model.attribution.agreement import (
    GRADIENT,
    METHODS,
    ExplainedTranslation,
    MethodAgreement,
    correlate_methods,
    explain_in_steps,
    sum_drops_by_word,
)
from model.attribution.integrated_source import POINTS, integrate_source_in_steps
from model.attribution.leave_one_out import LeaveOneOut, Way, leave_one_out_in_steps
from model.attribution.source_attention import check_source_rollout
from model.attribution.source_gradients import GradientCheck, check_gradients
from model.networks.transformer import Transformer
from pages.shared import tables
from pages.shared.page_header import Request
from views import map_labels
from views.text.catalogue import Message

# id in the address bar -> name and short name of a method; in the order of `METHODS`
NAMES = {
    "last-layer": (
        Message("attribution.method.last-layer", "Cross-attention, last layer"),
        Message("attribution.short.last-layer", "attention, last layer"),
    ),
    "all-layers": (
        Message("attribution.method.all-layers", "Cross-attention, all layers"),
        Message("attribution.short.all-layers", "attention, all layers"),
    ),
    "value-weighted": (
        Message("attribution.method.value-weighted", "Value-weighted attention"),
        Message("attribution.short.value-weighted", "value-weighted"),
    ),
    "rollout": (
        Message("attribution.method.rollout", "Rollout"),
        Message("attribution.short.rollout", "rollout"),
    ),
    "gradient": (
        Message("attribution.method.gradient", "Gradient relevance"),
        Message("attribution.short.gradient", "gradient relevance"),
    ),
    "integrated": (
        Message("attribution.method.integrated", "Integrated gradients"),
        Message("attribution.short.integrated", "integrated gradients"),
    ),
}
SECONDS = 3e-4  # of integrated gradients a point, target token and position, on one core of an AMD EPYC
SOURCE_WORD = Message("attribution.source-word", "source word")
_OF_METHODS = dict(zip(METHODS, NAMES.values(), strict=True))


def method_name(method: str) -> str:
    """Return the name of one of `METHODS`."""
    return _OF_METHODS[method][0]()


def short_name(method: str) -> str:
    """Return the short name of one of `METHODS`."""
    return _OF_METHODS[method][1]()


@dataclass(frozen=True, eq=False)
class AttributionScores:
    """The scores of every method for a sentence, those of leave-one-out, and their agreement.

    Integrated gradients are among the methods once they have been asked for.
    """

    trace: Trace
    explained: ExplainedTranslation
    left_out: LeaveOneOut
    drops: np.ndarray  # (target word, source word)
    agreement: MethodAgreement

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were computed, in the order of `METHODS`."""
        return tuple(self.explained.scores)

    @property
    def ids(self) -> list[str]:
        """Their ids in the address, in the same order."""
        return [id for id, method in zip(NAMES, METHODS, strict=True) if method in self.explained.scores]

    @property
    def source(self) -> tuple[str, ...]:
        """Texts of the source words."""
        return tuple(word.text for word in self.explained.source)

    @property
    def target(self) -> tuple[str, ...]:
        """Texts of the target words."""
        return tuple(word.text for word in self.explained.target)

    @property
    def columns(self) -> list[int]:
        """Places of the source words that a correlation is over: all but special ones."""
        return [place for place, word in enumerate(self.explained.source) if not word.special]

    def columns_of_word(self, place: int, name: Callable[[str], str], drop: str) -> list[tables.TableColumn]:
        """Return a table for one target word by source words: the drop, and every method's score.

        Args:
            name: returns the title of a method's column.
            drop: title of the drop's column.
        """
        scores = {drop: self.drops[place]}
        scores |= {name(method): self.explained.scores[method][place] for method in self.methods}
        return [
            tables.name_column(SOURCE_WORD(), map_labels.numbered(self.source), language="en"),
            *(tables.bar_column(title, each, float(abs(each).max()), "cross") for title, each in scores.items()),
        ]

    def arrays(self, way: str) -> dict[str, np.ndarray]:
        """Return all matrices, of words and of tokens, and all correlations, for `numpy.load`."""
        correlations = [self.agreement.correlations[method] for method in self.methods]
        integrated = self.explained.integrated
        gaps = {} if integrated is None else {"rises": integrated.rises, "gaps": integrated.gaps}
        return gaps | {
            "source_words": np.array(self.source),
            "target_words": np.array(self.target),
            "source_tokens": np.array(self.trace.source_tokens),
            "next_tokens": np.array(self.trace.next_tokens),
            "left_out_by": np.array(way),
            "drops": self.drops,
            "token_drops": self.left_out.drops,
            "methods": np.array(self.ids),
            "scores": np.stack([self.explained.scores[method] for method in self.methods]),
            "token_scores": np.stack([self.explained.tokens[method] for method in self.methods]),
            "spearman": np.array(correlations, dtype=float),  # NaN where none is defined
            "same_top_word": np.array([self.agreement.top_matches[method] for method in self.methods], dtype=float),
        }


def estimate_integration_seconds(trace: Trace) -> float:
    """How long integrated gradients of a trace take, roughly."""
    rows = POINTS * len(trace.next_ids)
    return SECONDS * rows * (len(trace.source_ids) + len(trace.next_ids) / 2)


def compute_scores(request: Request, trace: Trace, way: Way, integrated: bool = False) -> AttributionScores:
    """Compute all scores of a trace, leaving words out in the given way.

    Args:
        integrated: whether integrated gradients are among them.
    """
    service, pair = request.service, (trace.source_ids, trace.next_ids)
    explained = service.lesson_in_steps(("attribution", pair), explain_in_steps, trace)
    if integrated:
        gradients = service.lesson_in_steps(("integrated gradients", pair), integrate_source_in_steps, trace)
        explained = explained.add_integrated(gradients)
    left_out = service.lesson_in_steps(("left out", pair, way), leave_one_out_in_steps, trace, explained.source, way)
    drops = sum_drops_by_word(left_out, explained.target)
    agreement = service.analysis(("agreement", pair, way, integrated), lambda _: correlate_methods(explained, drops))
    return AttributionScores(trace, explained, left_out, drops, agreement)


def run_checks(request: Request, evidence: AttributionScores) -> tuple[float, GradientCheck]:
    """Check the rollout by computing it backwards, and gradients of the middle token by finite differences."""
    trace, explained = evidence.trace, evidence.explained
    rollout, relevance, middle = explained.rollout, explained.tokens[GRADIENT], len(trace.next_ids) // 2

    def compute(network: Transformer) -> tuple[float, GradientCheck]:
        return check_source_rollout(trace, rollout), check_gradients(network, trace, middle, relevance)

    return request.service.lesson(("attribution checked", trace.source_ids, trace.next_ids), compute)
