"""Scores of heads that need no sentence: on repeated random ids, and copying and composition from the weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.causal.composition import CompositionScores, CopyingScores
from model.causal.path_patching import INPUTS
from model.causal.repeated_ids import SCORES, RepeatedIdScores
from pages.shared.head_ranking.head_rows import Head, head_name
from pages.shared.service import Service
from pages.shared.texts import caption
from views.html import bars
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

NAMES = {
    "induction": Message("heads.repeated.induction", "induction"),
    "previous": Message("heads.repeated.previous", "previous token"),
    "duplicate": Message("heads.repeated.duplicate", "duplicate token"),
}
COPYING = Message("heads.copying", "copying")
COMPOSITION = {
    "queries": Message("heads.composition.queries", "composition by queries"),
    "keys": Message("heads.composition.keys", "composition by keys"),
    "values": Message("heads.composition.values", "composition by values"),
}
assert set(NAMES) == set(SCORES) and set(COMPOSITION) == set(INPUTS)


@dataclass(frozen=True)
class Composed:
    """The earlier head that a head reads most by one of its inputs."""

    name: str  # of the earlier head
    score: float  # their composition


@dataclass(frozen=True, eq=False)
class WeightScores:
    """Scores of all heads of a network; None or without a kind where it has none."""

    repeated: RepeatedIdScores | None = None  # of the heads of self-attention
    copying: Mapping[str, np.ndarray] | None = None  # kind of attention -> `(layer, head)`
    composition: CompositionScores | None = None

    def score(self, name: str, head: Head) -> float | None:
        """A score on repeated ids; None for a head of cross-attention."""
        tables = {} if self.repeated is None else self.repeated.scores.get(head.kind, {})
        return None if name not in tables else float(tables[name][head.layer, head.head])

    def copy(self, head: Head) -> float | None:
        """The copying score; None where there is none."""
        table = None if self.copying is None else self.copying.get(head.kind)
        return None if table is None else float(table[head.layer, head.head])

    def composed(self, head: Head, name: str) -> Composed | None:
        """The earlier head that a head reads most by an input; None where no head is earlier."""
        best = None
        for connection, table in ({} if self.composition is None else self.composition.scores).items():
            own = (
                table[:, :, head.layer, head.head] if connection.receiver.name == head.kind else np.full((1, 1), np.nan)
            )
            if connection.input != name or np.isnan(own).all():
                continue
            layer, number = np.unravel_index(int(np.nanargmax(own)), own.shape)
            if best is None or own[layer, number] > best.score:
                label = head_name(connection.sender.name, int(layer), int(number))
                best = Composed(label, float(own[layer, number]))
        return best

    def columns(self) -> dict[str, Callable[[Head], object]]:
        """Title of a column -> its value for a head."""
        columns: dict[str, Callable[[Head], object]] = {}
        if self.repeated is not None:
            for name in SCORES:
                title = say("heads.repeated.column", "{name}, repeated ids", name=NAMES[name]())
                columns[title] = self._reader(name)
        if self.copying is not None:
            columns[say("heads.copying.column", "copying score")] = self.copy
        if self.composition is not None:
            for name in INPUTS:
                title = say("heads.composition.column", "{name}, largest", name=COMPOSITION[name]())
                columns[title] = self._composed_reader(name, "score")
                title = say("heads.composition.with", "{name}, with head", name=COMPOSITION[name]())
                columns[title] = self._composed_reader(name, "name")
        return columns

    def _reader(self, name: str) -> Callable[[Head], float | None]:
        return lambda head: self.score(name, head)

    def _composed_reader(self, name: str, what: str) -> Callable[[Head], object]:
        return lambda head: getattr(self.composed(head, name), what, None)


def score_weights(service: Service) -> WeightScores:
    """Score all heads; cached, as no sentence is needed."""

    def compute(model) -> WeightScores:
        return WeightScores(model.head_scores(), model.copying_scores(), model.composition())

    return service.analysis(("weight scores",), compute)


def render_weight_scores(scores: WeightScores, head: Head, composed: bool = True) -> None:
    """Render the scores of the open head as a table with what even attention or random matrices would have.

    Args:
        composed: whether the table has composition, too.
    """
    rows: list[list[bars.Value]] = []
    for name in SCORES:
        score = scores.score(name, head)
        if score is not None:
            assert scores.repeated is not None, "otherwise there is no score"
            chance = three_digits(scores.repeated.chance[head.kind][name])
            rows.append([NAMES[name](), bars.bar_cell(score, 1, head.kind), chance])
    copied = scores.copy(head)
    if copied is not None:
        rows.append([COPYING(), bars.bar_cell(copied, 1, head.kind), ""])
    for name in INPUTS if composed else ():
        best = scores.composed(head, name)
        if best is not None:
            assert scores.composition is not None, "otherwise there is no score"
            title = say("heads.composition.row", "{name}, with {head}", name=COMPOSITION[name](), head=best.name)
            rows.append([title, bars.bar_cell(best.score, 1, head.kind), three_digits(scores.composition.chance)])
    if isinstance(scores.copying, CopyingScores) and head.kind in scores.copying.left_out:
        caption("heads", "no-copying")
    if not rows:
        return
    header = [
        say("column.pattern", "pattern"),
        say("heads.column.score", "score"),
        say("heads.weight-scores.chance", "by chance") if composed else say("ranking.uniform", "uniform attention"),
    ]
    title = say("heads.weight-scores", "Without a sentence: scores of {head}", head=head.name)
    st.html(bars.table(header, rows, title))
    if scores.repeated is not None:
        caption("heads", "weight-scores", length=scores.repeated.length, rows=scores.repeated.rows)
    if composed and scores.composition is not None:
        caption("heads", "composition")
