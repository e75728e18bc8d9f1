"""Attribution scores of one sentence by every method, and its agreement with leave-one-out; computed once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from model import Trace
from model.attribution.agreement import (
    METHODS,
    ExplainedTranslation,
    MethodAgreement,
    correlate_methods,
    explain_in_steps,
    sum_drops_by_word,
)
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
}
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
    """The scores of every method for a sentence, those of leave-one-out, and their agreement."""

    trace: Trace
    explained: ExplainedTranslation
    left_out: LeaveOneOut
    drops: np.ndarray  # (target word, source word)
    agreement: MethodAgreement

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
        scores |= {name(method): self.explained.scores[method][place] for method in METHODS}
        return [
            tables.name_column(SOURCE_WORD(), map_labels.numbered(self.source)),
            *(tables.bar_column(title, each, float(abs(each).max()), "cross") for title, each in scores.items()),
        ]

    def arrays(self, way: str) -> dict[str, np.ndarray]:
        """Return all matrices, of words and of tokens, and all correlations, for `numpy.load`."""
        correlations = [self.agreement.correlations[method] for method in METHODS]
        return {
            "source_words": np.array(self.source),
            "target_words": np.array(self.target),
            "source_tokens": np.array(self.trace.source_tokens),
            "next_tokens": np.array(self.trace.next_tokens),
            "left_out_by": np.array(way),
            "drops": self.drops,
            "token_drops": self.left_out.drops,
            "methods": np.array(tuple(NAMES)),
            "scores": np.stack([self.explained.scores[method] for method in METHODS]),
            "token_scores": np.stack([self.explained.tokens[method] for method in METHODS]),
            "spearman": np.array(correlations, dtype=float),  # NaN where none is defined
            "same_top_word": np.array([self.agreement.top_matches[method] for method in METHODS], dtype=float),
        }


def compute_scores(request: Request, trace: Trace, way: Way) -> AttributionScores:
    """Compute all scores of a trace, leaving words out in the given way."""
    service, pair = request.service, (trace.source_ids, trace.next_ids)
    explained = service.lesson_in_steps(("attribution", pair), explain_in_steps, trace)
    left_out = service.lesson_in_steps(("left out", pair, way), leave_one_out_in_steps, trace, explained.source, way)
    drops = sum_drops_by_word(left_out, explained.target)
    agreement = service.analysis(("agreement", pair, way), lambda _: correlate_methods(explained, drops))
    return AttributionScores(trace, explained, left_out, drops, agreement)


def run_checks(request: Request, evidence: AttributionScores) -> tuple[float, GradientCheck]:
    """Check the rollout by computing it backwards, and gradients of the middle token by finite differences."""
    trace, explained = evidence.trace, evidence.explained
    rollout, relevance, middle = explained.rollout, explained.tokens[METHODS[-1]], len(trace.next_ids) // 2

    def compute(network: Transformer) -> tuple[float, GradientCheck]:
        return check_source_rollout(trace, rollout), check_gradients(network, trace, middle, relevance)

    return request.service.lesson(("attribution checked", trace.source_ids, trace.next_ids), compute)
