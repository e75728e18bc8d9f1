"""Scores of heads that need no sentence: on repeated random ids, and copying scores from the weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.causal.repeated_ids import SCORES, RepeatedIdScores
from pages.shared.head_ranking.head_rows import Head
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
assert set(NAMES) == set(SCORES)


@dataclass(frozen=True, eq=False)
class WeightScores:
    """Scores of all heads of a network.

    Attributes:
        repeated: of the heads of self-attention.
        copying: kind of attention -> `(layer, head)`.
    """

    repeated: RepeatedIdScores
    copying: Mapping[str, np.ndarray]

    def score(self, name: str, head: Head) -> float | None:
        """A score on repeated ids; None for a head of cross-attention."""
        table = self.repeated.scores.get(head.kind, {}).get(name)
        return None if table is None else float(table[head.layer, head.head])

    def copy(self, head: Head) -> float | None:
        """The copying score; None where there is none."""
        table = self.copying.get(head.kind)
        return None if table is None else float(table[head.layer, head.head])

    def columns(self) -> dict[str, Callable[[Head], float | None]]:
        """Title of a column -> the score of a head."""
        repeated = {
            say("heads.repeated.column", "{name}, repeated ids", name=NAMES[name]()): self._reader(name)
            for name in SCORES
        }
        return repeated | {say("heads.copying.column", "copying score"): self.copy}

    def _reader(self, name: str) -> Callable[[Head], float | None]:
        return lambda head: self.score(name, head)


def score_weights(service: Service) -> WeightScores:
    """Score all heads; cached, as no sentence is needed."""
    return service.analysis(("weight scores",), lambda model: WeightScores(model.head_scores(), model.copying_scores()))


def render_weight_scores(scores: WeightScores, head: Head) -> None:
    """Render the scores of the open head as a table with what even attention would have."""
    rows: list[list[bars.Value]] = []
    for name in SCORES:
        score = scores.score(name, head)
        if score is not None:
            chance = three_digits(scores.repeated.chance[head.kind][name])
            rows.append([NAMES[name](), bars.bar_cell(score, 1, head.kind), chance])
    copied = scores.copy(head)
    if copied is not None:
        rows.append([COPYING(), bars.bar_cell(copied, 1, head.kind), ""])
    header = [
        say("column.pattern", "pattern"),
        say("column.score", "score"),
        say("ranking.uniform", "uniform attention"),
    ]
    title = say("heads.weight-scores", "Without a sentence: scores of {head}", head=head.name)
    st.html(bars.table(header, rows, title))
    caption("heads", "weight-scores", length=scores.repeated.length, rows=scores.repeated.rows)
