"""Every head as one row with its effect, labels and scores; sorting them; and the statistics over many inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from model import CheckpointError
from model.attribution.head_labels import MIXED, HeadLabel, HeadScores
from model.attribution.head_statistics import HeadStatistics, Spread, load_statistics
from model.study.finished_studies import find_study
from server.singleton import singleton
from views import kind_labels
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

PATTERNS = {
    "": Message("pattern.none", "none"),
    "previous": Message("pattern.previous", "previous"),
    "next": Message("pattern.next", "next"),
    "same": Message("pattern.same", "same"),
    "start": Message("pattern.start", "start"),
    "end": Message("pattern.end", "end"),
    "duplicate": Message("pattern.duplicate", "duplicate"),
    "aligned": Message("pattern.aligned", "aligned"),
    "aligned, read": Message("pattern.aligned-read", "aligned, read"),
    "same patch": Message("pattern.same-patch", "same patch"),
    "neighbours": Message("pattern.neighbours", "neighbours"),
    "nearby": Message("pattern.nearby", "nearby"),
    "row": Message("pattern.row", "row"),
    "column": Message("pattern.column", "column"),
    "left": Message("pattern.left", "left"),
    "right": Message("pattern.right", "right"),
    "above": Message("pattern.above", "above"),
    "below": Message("pattern.below", "below"),
    "similar colour": Message("pattern.similar-colour", "similar colour"),
    "detail": Message("pattern.detail", "detail"),
    "CLS": Message("pattern.cls", "CLS"),
    "diffuse": Message("pattern.diffuse", "diffuse"),
    "mixed": Message("pattern.mixed", "mixed"),
}
OVER = {  # by what was measured
    "held-out sentences": Message("ranking.over.sentences", "over {count} held-out {count:sentence|sentences}"),
    "validation pictures": Message("ranking.over.pictures", "over {count} validation {count:picture|pictures}"),
    "texts": Message("ranking.over.texts", "over {count} {count:text|texts}"),
    "pairs of texts": Message("ranking.over.pairs", "over {count} {count:pair|pairs} of texts"),
    "pictures": Message("ranking.over.any-pictures", "over {count} {count:picture|pictures}"),
}
ORDERS = {
    "effect": Message("ranking.effect", "Effect"),
    "label": Message("ranking.label", "Label"),
    "place": Message("ranking.place", "Place"),
}


@dataclass(frozen=True, eq=False)
class Head:
    """One head of one input."""

    # `kind`, `layer`, `head`: counted from 0; `layer` among the layers that have this kind
    kind: str
    layer: int
    head: int
    change: float  # what ablating it adds to the loss in nats, or to another score that the page names
    label: HeadLabel  # on this input
    label_over_many: HeadLabel | None  # over many inputs; None where no statistics fit the weights
    # mean change of the loss over these inputs, and its standard deviation; None likewise
    effect: tuple[float, float] | None
    # pattern -> (score here, score of uniform attention here, (mean, spread) over many or None)
    scores: dict[str, tuple[float, float, tuple[float, float] | None]]
    # "entropy" and "distance" -> (mean, spread) over many, where they were measured
    measures: dict[str, tuple[float, float]] = field(default_factory=dict)
    number: int = -1  # of the layer among all of the network, from 0

    @property
    def id(self) -> str:
        """Such as `cross-4-7`: kind, layer, head, counted from 1."""
        return f"{self.kind}-{self.number + 1}-{self.head + 1}"

    @property
    def name(self) -> str:
        """Its name on pages, such as `cross 4.7`."""
        return head_name(self.kind, self.number, self.head)


def head_name(kind: str, number: int, head: int) -> str:
    """The name of a head on pages, such as `cross 4.7`; the numbers of its layer and its own count from 0."""
    place = {"layer": number + 1, "head": head + 1}
    return say("head.name", "{kind} {layer}.{head}", kind=kind_labels.kind_named(kind).brief(), **place)


def list_heads(
    changes: Mapping[str, np.ndarray],
    scores: Mapping[str, HeadScores],
    statistics: HeadStatistics | None,
    numbers: Mapping[str, Sequence[int]] | None = None,
) -> list[Head]:
    """Return all heads by kind, layer and head.

    Args:
        changes: kind -> `(layer, head)`, what ablating the head adds.
        scores: of the same kinds.
        numbers: kind -> numbers of its layers, from 0; None where all layers have it.
    """
    heads = []
    for kind, table in changes.items():
        many = statistics.kinds.get(kind) if statistics else None
        if many is not None and many.shape != table.shape:  # the same weights, split into another number of heads
            many = None
        for layer, head in np.ndindex(*table.shape):
            spread = (
                {}
                if many is None
                else {name: _mean_and_spread(part, layer, head) for name, part in many.scores.items()}
            )
            heads.append(
                Head(
                    kind,
                    layer,
                    head,
                    float(table[layer, head]),
                    scores[kind].label(layer, head),
                    None if many is None else many.label(layer, head),
                    None if many is None or many.effect is None else _mean_and_spread(many.effect, layer, head),
                    {
                        name: (float(part[layer, head]), scores[kind].chance[name], spread.get(name))
                        for name, part in scores[kind].scores.items()
                    },
                    {}
                    if many is None
                    else {name: _mean_and_spread(part, layer, head) for name, part in many.measures.items()},
                    layer if numbers is None else numbers[kind][layer],
                )
            )
    return heads


def _mean_and_spread(spread: Spread, layer: int, head: int) -> tuple[float, float]:
    return float(spread.mean[layer, head]), float(spread.sd[layer, head])


def sort_heads(heads: list[Head], by: str) -> list[Head]:
    """Sort by one of `ORDERS`: largest absolute change first; by label, best first; or by layer and head."""
    if by == "effect":
        return sorted(heads, key=lambda head: -abs(head.change))
    if by == "label":
        return sorted(heads, key=lambda head: (head.label.name == MIXED, head.label.name, -head.label.score))
    return list(heads)


def label_text(label: HeadLabel | None) -> str:
    """Return a label with its score; `mixed` with the best pattern and its score."""
    if label is None:
        return ""
    values = {"label": PATTERNS[label.name](), "pattern": PATTERNS[label.pattern](), "score": three_digits(label.score)}
    if label.name == MIXED:
        return say("ranking.mixed", "{label} ({pattern} {score})", **values)
    return say("ranking.labelled", "{label} {score}", label=values["label"], score=values["score"])


@dataclass(frozen=True, eq=False)
class LoadedStatistics:
    """The statistics of a network, or the error that explains why there are none."""

    statistics: HeadStatistics | None
    error: CheckpointError | None = None

    @property
    def heading(self) -> str:
        """Title of the column of labels over many inputs."""
        if self.statistics is None:
            return ""
        return OVER[self.statistics.of](count=self.statistics.inputs)


@singleton
def load_study(weights_sha256: str) -> LoadedStatistics:
    """Load the operator's study of the network with these weights; the setting is read on the first call."""
    return LoadedStatistics(find_study(weights_sha256))


@singleton
def load_best_statistics(folder: Path, weights_sha256: str) -> LoadedStatistics:
    """Load the statistics of the network with these weights: the operator's own study, else those that ship."""
    if (own := load_study(weights_sha256)).statistics is not None:
        return own
    try:
        return LoadedStatistics(load_statistics(folder, weights_sha256))
    except CheckpointError as error:
        return LoadedStatistics(None, error)
