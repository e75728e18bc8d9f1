"""The list of ranked heads, which opens the clicked one, its table, and the scores of the open head."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model.attribution.head_labels import DIFFUSE, PICTURES, LabelRule
from pages.shared import files
from pages.shared.head_ranking.head_rows import (
    ORDERS,
    PATTERNS,
    Head,
    LoadedStatistics,
    label_text,
    sort_heads,
)
from pages.shared.tables import TableColumn, header_and_rows
from pages.shared.texts import block, caption, how_to_read
from views import map_labels
from views.components.head_list import FIRST, HeadAxes, HeadList, HeadRow, head_list
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.html import bars
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import signed, three_digits
from views.viewer.attention_maps import AttentionMaps, KindMaps

ALL_KINDS = "all"  # kinds of attention


@dataclass(frozen=True, eq=False)
class RankedHeads:
    """The heads in the order and selection that the user chose."""

    heads: list[Head]  # all heads, by layer and head
    listed: list[Head]  # the listed heads, in the chosen order
    opened: Head  # the open head
    # `choices`, `chosen`, `roles`: as in `HeadList`
    choices: tuple[Choice, ...]
    chosen: dict[str, str]
    roles: dict[str, str]


def rank_heads(heads: list[Head], sort: str, selects: str, of: Choice | None = None) -> RankedHeads:
    """Rank the heads as chosen: the order by the setting `sort`, the open head by `selects`, the kind by `of`."""
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
    ranked: RankedHeads,
    statistics: LoadedStatistics,
    maps: AttentionMaps,
    headings: tuple[str, str, str],
    *,
    name: str,
    write: Callable[[float], str] = signed,
    heading: str = "",
    **options: Any,
) -> None:
    """Render the list, with the open head large; the browser sorts and opens, and the page reruns a moment later.

    Args:
        statistics: over many inputs, or why there are none.
        maps: of all heads; over their picture, if they have one.
        headings: of the column of maps, of the change, and of the label on this input.
        name: differs from that of other lists.
        write: formats a change.
        heading: above the large map, with a placeholder `{map}`, where it is not the kind's own.
        options: go to `HeadList`.
    """
    heads = ranked.heads
    rows = [
        HeadRow(
            head.id,
            head.name,
            head.kind,
            map_labels.to_id(head.number),
            map_labels.to_id(head.head),
            head.change,
            write(head.change),
            label_text(head.label),
            label_text(head.label_over_many),
            maps[head.kind].mean(head.layer, head.head),
            maps[head.kind].kind.causal,
        )
        for head in heads
    ]
    place = {head.id: place for place, head in enumerate(heads)}
    orders = {by: [place[head.id] for head in sort_heads(heads, by)] for by in ORDERS}
    axes = {name: _map_axes(each, heading, over_picture=maps.picture is not None) for name, each in maps.items()}
    selection = orders, axes, ranked.choices, ranked.chosen, ranked.roles, place[ranked.opened.id]
    title, all_headings = say("ranking.title", "Heads, ranked"), (*headings, statistics.heading)
    head_list(
        HeadList(rows, *selection, all_headings, title, underlay=maps.picture, **options),
        key=f"{name} ranking",
        on_choose=sentence_input.store_selection,
    )


def render_table(
    ranked: RankedHeads,
    statistics: LoadedStatistics,
    change: str,
    name: str,
    more: Mapping[str, Callable[[Head], object]] | None = None,
) -> None:
    """Render the heads as a table and a download called `name`; `change` is the title of the change in both.

    Args:
        more: title of a further column -> its value for a head.
    """
    if statistics.error:
        st.caption(literal.with_code(say_error(statistics.error)))
    key, label = f"{name.replace('-', '_')}_table", say("heads.csv", "All heads as CSV")
    columns = _table_columns(change, ranked.listed)
    columns += [TableColumn(title, [value(head) for head in ranked.listed]) for title, value in (more or {}).items()]
    files.csv_and_table(*header_and_rows(columns), name, label, key)


def _map_axes(maps: KindMaps, heading: str, over_picture: bool) -> HeadAxes:
    """Return labels and titles for the maps of a kind; axes over a picture have no titles."""
    kind, titles = maps.kind, ("", "") if over_picture else (maps.kind.query_axis, maps.kind.key_axis)
    names, read = (maps.queries.names, maps.keys.names), maps.queries.labels if maps.queries.chosen else None
    return HeadAxes(heading or kind.heading("{map}"), *names, *titles, kind.corner, kind.places, read, kind.languages)


def _table_columns(change: str, heads: list[Head]) -> list[TableColumn]:
    """Return all numbers with all digits; `change` is the title of the change on this input."""
    many, effects = [head.label_over_many for head in heads], [head.effect or (None, None) for head in heads]
    labels = ["" if label is None else PATTERNS[label.name]() for label in many]
    return [
        TableColumn(say("column.head", "head"), [head.name for head in heads]),
        TableColumn(change, [head.change for head in heads]),
        TableColumn(say("column.label", "label"), [PATTERNS[head.label.name]() for head in heads]),
        TableColumn(say("column.pattern", "pattern"), [PATTERNS[head.label.pattern]() for head in heads]),
        TableColumn(say("heads.column.score", "score"), [head.label.score for head in heads]),
        TableColumn(say("ranking.uniform", "uniform attention"), [head.label.chance for head in heads]),
        TableColumn(say("ranking.often.label", "label over many"), labels),
        TableColumn(say("ranking.often.score", "score over many"), [label and label.score for label in many]),
        TableColumn(say("ranking.often.change", "change of the loss over many"), [mean for mean, _ in effects]),
        TableColumn(say("ranking.often.spread", "its standard deviation"), [spread for _, spread in effects]),
    ]


def render_scores(head: Head, statistics: LoadedStatistics) -> None:
    """Render every pattern's score as a table, and the effect of ablating the head over many inputs, if known."""
    header = [
        say("column.pattern", "pattern"),
        say("ranking.score", "score here"),
        say("ranking.uniform", "uniform attention"),
        say("ranking.times", "times uniform"),
    ]
    if statistics.statistics:
        header.append(statistics.heading)
    rows: list[list[bars.Value]] = []
    for name, (score, chance, many) in head.scores.items():
        uniform = ["", ""] if name == DIFFUSE else [three_digits(chance), three_digits(score / chance)]
        row: list[bars.Value] = [PATTERNS[name](), bars.bar_cell(score, 1, head.kind), *uniform]
        if statistics.statistics:
            row.append("" if many is None else f"{three_digits(many[0])} \u00b1 {three_digits(many[1])}")
        rows.append(row)
    st.html(bars.table(header, rows, say("ranking.scores", "Scores of {head}", head=head.name)))
    if head.effect is not None and statistics.statistics is not None:
        text = "often-mean" if statistics.statistics.facts.get("replacement") == "mean" else "often"
        caption("heads", text, heading=statistics.heading, mean=signed(head.effect[0]), spread=head.effect[1])


def labelling_text(rule: LabelRule) -> str:
    """Return the text on how heads are labelled, with the thresholds in use."""
    thresholds = {name: f"{value:g}" for name, value in vars(rule).items()}
    which = block("heads", "labels-largest-beside" if rule == PICTURES else "labels-largest")
    return block("heads", "labels", which=which.strip(), **thresholds)


def render_notes(page: str, label: str, rule: LabelRule) -> None:
    """Render how to read effects and labels, and a fold `label` that explains each pattern."""
    how_to_read(block(page, "effects"), labelling_text(rule))
    with st.expander(label):
        st.markdown(block(page, "patterns"))
