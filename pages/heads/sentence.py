"""What the Heads page computes of a sentence: effects, scores and the check of one head."""

from __future__ import annotations

from dataclasses import dataclass

from model import Trace
from model.attribution.head_ablation import TranslationAblation
from model.attribution.head_labels import head_scores
from model.runtime.progress import InSteps
from model.text.word_alignment import links_of
from model.translator import SHIPPED
from pages.shared.head_ranking.rows import Found, Head, heads_of, shipped
from pages.shared.service import Service
from pages.shared.word_links import alignment


@dataclass(frozen=True, eq=False)
class Study:
    """All heads of one sentence and its translation.

    Attributes:
        effects: what every head does to the loss.
        heads: a row for each, by place.
        linked: how many of the French tokens the word alignment links; None where there is no alignment.
        found: the statistics, or why there are none.
    """

    effects: TranslationAblation
    heads: list[Head]
    linked: int | None
    found: Found


def study(service: Service, trace: Trace) -> Study:
    """Everything about the heads for a trace; kept for the next run."""
    model = service.model
    found = shipped(SHIPPED, model.weights_sha256)
    known = alignment(model.card.get("tokenizer_sha256", ""))

    def compute(model) -> InSteps[Study]:
        links = None if known is None else links_of(known, trace.source_ids, trace.next_ids)
        effects = yield from model.ablate_in_steps(trace)
        scores = head_scores(trace, links)
        linked = None if links is None else int(links.any(axis=1).sum())
        return Study(effects, heads_of(effects.changes, scores, found.statistics), linked, found)

    return service.analysis_in_steps(("heads", trace.source_ids, trace.next_ids), compute)


def checked(service: Service, trace: Trace, head: Head) -> float:
    """The loss without `head` from a network whose slice of W_O is zero."""
    place = head.kind, head.layer, head.head
    return service.analysis(
        ("head alone", trace.source_ids, trace.next_ids, place),
        lambda model: model.loss_without(trace, place),
    )
