"""Everything the page shows of one sentence and one way to leave words out, each part computed once."""

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
from pages.shared import tables
from pages.shared.page_header import Request
from views import attention_maps
from views.text.catalogue import Message

# id in the address bar -> what a method is called, and what it is called where there is little room; as in `METHODS`
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
    """What one of `METHODS` is called on the page."""
    return _OF_METHODS[method][0]()


def short_name(method: str) -> str:
    """The same where there is little room."""
    return _OF_METHODS[method][1]()


@dataclass(frozen=True, eq=False)
class AttributionScores:
    """What every method says of a sentence, what leave-one-out says, and how far they agree."""

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
        """The source words that a correlation is over: all but special ones."""
        return [place for place, word in enumerate(self.explained.source) if not word.special]

    def numbers(self, place: int, called: Callable[[str], str], drop: str) -> list[tables.TableColumn]:
        """The numbers of one target word by source words: the drop, and every method's score.

        Args:
            called: what a method is called above its column.
            drop: what the drop is called above its own.
        """
        numbers = {drop: self.drops[place]}
        numbers |= {called(method): self.explained.scores[method][place] for method in METHODS}
        return [
            tables.name_column(SOURCE_WORD(), attention_maps.numbered(self.source)),
            *(tables.bar_column(title, each, float(abs(each).max()), "cross") for title, each in numbers.items()),
        ]

    def arrays(self, way: str) -> dict[str, np.ndarray]:
        """All matrices, of words and of tokens, and all correlations, for `numpy.load`."""
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
            "spearman": np.array(correlations, dtype=float),  # not a number where none is defined
        }


def compute_scores(request: Request, trace: Trace, way: Way) -> AttributionScores:
    """Explain the trace and leave its source words out."""
    service, pair = request.service, (trace.source_ids, trace.next_ids)
    explained = service.lesson_in_steps(("attribution", pair), explain_in_steps, trace)
    left_out = service.lesson_in_steps(("left out", pair, way), leave_one_out_in_steps, trace, explained.source, way)
    drops = sum_drops_by_word(left_out, explained.target)
    compared = service.analysis(("agreement", pair, way), lambda _: correlate_methods(explained, drops))
    return AttributionScores(trace, explained, left_out, drops, compared)


def run_checks(request: Request, found: AttributionScores) -> tuple[float, GradientCheck]:
    """The rollout walked through backwards, and the gradients of the middle token against finite differences."""
    trace, rolled, relevance = found.trace, found.explained.rollout, found.explained.tokens[METHODS[-1]]
    given = trace, len(trace.next_ids) // 2, relevance
    compute = lambda network: (check_source_rollout(trace, rolled), check_gradients(network, *given))  # noqa: E731
    return request.service.lesson(("attribution checked", trace.source_ids, trace.next_ids), compute)
