"""The list of ranked heads, which opens the one that is clicked, with its numbers; and the scores of that head."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.head_labels import DIFFUSE, PICTURES, LabelRule
from pages.shared import files
from pages.shared.head_ranking.head_rows import (
    ORDERS,
    PATTERNS,
    Head,
    LoadedStatistics,
    format_signed,
    label_text,
    sort_heads,
)
from pages.shared.tables import TableColumn, header_and_rows
from pages.shared.texts import block, caption, how_to_read
from views import attention_maps
from views.components.head_list import FIRST, HeadAxes, HeadList, HeadRow, head_list
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.html import bars
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import three_digits

ALL_KINDS = "all"  # kinds of attention


@dataclass(frozen=True, eq=False)
class RankedHeads:
    """How the reader wants the heads.

    Attributes:
        heads: all of them, in the order of their places.
        listed: those that are listed, in the order that is chosen.
        opened: the one that is open.
        choices, chosen, roles: as in `HeadList`.
    """

    heads: list[Head]
    listed: list[Head]
    opened: Head
    choices: tuple[Choice, ...]
    chosen: dict[str, str]
    roles: dict[str, str]


def rank_heads(heads: list[Head], sort: str, selects: str, of: Choice | None = None) -> RankedHeads:
    """What is chosen in the list: an order, by the setting `sort`, and a head, by `selects`; `of` is a kind to list."""
    options = {FIRST: say("ranking.first", "first in the list"), **{head.id: head.name for head in heads}}
    choices = (
        *([of] if of else []),
        Choice(say("ranking.order", "Sort by"), ORDERS, sort),
        Choice(say("ranking.shown", "Head shown"), options, selects, varies=True),
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    only = chosen[of.key] if of else ALL_KINDS
    listed = sort_heads([head for head in heads if only in (ALL_KINDS, head.kind)], chosen[sort])
    opened = next((head for head in heads if head.id == chosen[selects]), listed[0])
    roles = {"sort": sort, "shown": selects} | ({"of": of.key} if of else {})
    return RankedHeads(heads, listed, opened, choices, chosen, roles)


def render(
    arranged: RankedHeads,
    found: LoadedStatistics,
    map_of: Callable[[Head], np.ndarray],
    axes: Mapping[str, HeadAxes],
    headings: tuple[str, str, str],
    *,
    name: str,
    causal: Collection[str] = (),
    **looks,
) -> None:
    """Draw the heads, and large the one that is open; the browser orders and opens, and the page runs a moment later.

    Args:
        found: statistics over many inputs, or why there are none.
        map_of: a head's map, `(query, key)`, or `(row, column)` over a picture.
        axes: of each kind's maps.
        headings: of the column of maps, of the change, and of the label on this input.
        name: tells it apart from other lists.
        causal: kinds whose maps have a causal mask.
        looks: go to `HeadList`.
    """
    heads = arranged.heads
    rows = [
        HeadRow(
            head.id,
            head.name,
            head.kind,
            str(head.layer + 1),
            str(head.head + 1),
            head.change,
            format_signed(head.change),
            label_text(head.label),
            label_text(head.often),
            map_of(head),
            head.kind in causal,
        )
        for head in heads
    ]
    place = {head.id: place for place, head in enumerate(heads)}
    orders = {by: [place[head.id] for head in sort_heads(heads, by)] for by in ORDERS}
    described = orders, axes, arranged.choices, arranged.chosen, arranged.roles, place[arranged.opened.id]
    shown = HeadList(rows, *described, (*headings, found.heading), say("ranking.title", "Heads, ranked"), **looks)
    head_list(shown, key=f"{name} ranking", on_choose=sentence_input.store_selection)


def render_table(arranged: RankedHeads, found: LoadedStatistics, measured: str, name: str) -> None:
    """The heads as a file and a table, called `name`; `measured` names the change in both."""
    if found.problem:
        st.caption(literal.markdown(say_error(found.problem)))
    key, label = f"{name.replace('-', '_')}_table", say("heads.csv", "All heads as CSV")
    files.csv_and_table(*header_and_rows(_table_columns(measured, arranged.listed)), name, label, key)


def map_axes(kind: attention_maps.Kind, queries: Sequence[str], keys: Sequence[str], heading: str = "") -> HeadAxes:
    """What stands around the maps of a kind; `heading` where it is not the kind's own."""
    named = queries, keys, kind.query_axis, kind.key_axis, kind.corner
    return HeadAxes(heading or kind.heading("{map}"), *named, kind.places)


def _table_columns(change: str, heads: list[Head]) -> list[TableColumn]:
    """All of it with all digits; `change` names what was measured here."""
    many, effects = [head.often for head in heads], [head.effect or (None, None) for head in heads]
    labels = ["" if label is None else PATTERNS[label.name]() for label in many]
    return [
        TableColumn(say("column.head", "head"), [head.name for head in heads]),
        TableColumn(change, [head.change for head in heads]),
        TableColumn(say("column.label", "label"), [PATTERNS[head.label.name]() for head in heads]),
        TableColumn(say("column.pattern", "pattern"), [PATTERNS[head.label.pattern]() for head in heads]),
        TableColumn(say("column.score", "score"), [head.label.score for head in heads]),
        TableColumn(say("ranking.uniform", "uniform attention"), [head.label.chance for head in heads]),
        TableColumn(say("ranking.often.label", "label over many"), labels),
        TableColumn(say("ranking.often.score", "score over many"), [label and label.score for label in many]),
        TableColumn(say("ranking.often.change", "change of the loss over many"), [mean for mean, _ in effects]),
        TableColumn(say("ranking.often.spread", "its standard deviation"), [spread for _, spread in effects]),
    ]


def render_scores(head: Head, found: LoadedStatistics) -> None:
    """Every pattern's score as a table, and what the head's ablation does over many inputs, where that is known."""
    header = [
        say("column.pattern", "pattern"),
        say("ranking.score", "score here"),
        say("ranking.uniform", "uniform attention"),
        say("ranking.times", "times uniform"),
    ]
    if found.statistics:
        header.append(found.heading)
    rows = []
    for name, (score, chance, many) in head.scores.items():
        uniform = ["", ""] if name == DIFFUSE else [three_digits(chance), three_digits(score / chance)]
        row = [PATTERNS[name](), bars.bar_cell(score, 1, head.kind), *uniform]
        if found.statistics:
            row.append("" if many is None else f"{three_digits(many[0])} \u00b1 {three_digits(many[1])}")
        rows.append(row)
    st.html(bars.table(header, rows, say("ranking.scores", "Scores of {head}", head=head.name)))
    if head.effect is not None:
        caption("heads", "often", heading=found.heading, mean=format_signed(head.effect[0]), spread=head.effect[1])


def labelling_text(rule: LabelRule) -> str:
    """How labels are earned, with the thresholds in use."""
    thresholds = {name: f"{value:g}" for name, value in vars(rule).items()}
    which = block("heads", "labels-largest-beside" if rule == PICTURES else "labels-largest")
    return block("heads", "labels", which=which.strip(), **thresholds)


def render_notes(page: str, label: str, rule: LabelRule) -> None:
    """How to read effects and labels; what each pattern is, under `label`."""
    how_to_read(block(page, "effects"), labelling_text(rule))
    with st.expander(label):
        st.markdown(block(page, "patterns"))
