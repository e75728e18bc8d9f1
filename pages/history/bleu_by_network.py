"""The section *Networks compared*: a table of size, training time, BLEU and speed of all networks that translate."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from model.lessons.network_comparison import NETWORKS, BootstrapInterval, NetworkComparison
from model.lessons.one_stack_heldout import DECODER_ONLY
from pages.history import network_differences, networks_compared
from pages.history.networks_compared import SingleStack
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views.controls import widgets
from views.html import bars
from views.html.generated_tokens import chart_title
from views.text import prose
from views.text.catalogue import Message, say
from views.text.numbers import grouped, hardware, millions, three_digits

HEADER = (
    Message("history.column.network", "network"),
    Message("ladder.column.parameters", "parameters"),
    Message("ladder.column.minutes", "training, minutes"),
    Message("column.bleu", "BLEU"),
    Message("ladder.column.chrf", "chrF"),
    Message("ladder.column.speed", "tokens per second when decoding"),
    Message("ladder.column.aer", "alignment error rate"),
)
BLEU, CHRF, SPEED, ERROR_RATE = 3, 4, 5, 6  # places of these columns
LESS_IS_BETTER = (1, 2, ERROR_RATE)
MORE, LESS = Message("ladder.better.more", "more is better"), Message("ladder.better.less", "less is better")


@dataclass(frozen=True)
class NetworkRow:
    """One network in the table."""

    values: list  # in the columns of `HEADER`; None without an alignment
    bands: dict[int, BootstrapInterval]  # column -> the interval of its number


def render(request: Request) -> None:
    """Show the table, how to read it, and the check that its BLEU follows from the sentences by length."""
    measurements = networks_compared.comparison_or_warning()
    if measurements is None:
        return
    cards, comparison = measurements
    single = networks_compared.single_stack_or_warning()
    st.markdown(prose.block("history", "ladder"))
    orders = {
        "history": say("ladder.order.history", "Their history"),
        "speed": say("ladder.order.speed", "Speed of decoding"),
    }
    order = widgets.pick(say("ladder.order", "In the order of"), orders, "ladder")
    header, rows = [column() for column in HEADER], network_rows(cards, comparison, single)
    best, fastest = (max(rows, key=lambda row: row.values[place]).values for place in (BLEU, SPEED))
    if order == "speed":
        rows.sort(key=lambda row: -row.values[SPEED])
    finding = say(
        "ladder.finding",
        "{best} translates best, BLEU {bleu}; {fastest} decodes fastest, {speed} tokens per second",
        best=best[0],
        bleu=three_digits(best[BLEU]),
        fastest=fastest[0],
        speed=three_digits(fastest[SPEED]),
    )
    st.html(chart_title(finding))
    titles = [header[0], *(f"{title}, {better_is(place)}" for place, title in enumerate(header[1:], 1))]
    st.html(bars.table(titles, _cells(rows), say("ladder.table", "All networks"), whole=True))
    st.caption(
        say(
            "ladder.bars",
            "The longest bar of a column is the best network. Where less is better, a bar is the smallest number of "
            "the column divided by that of the row.",
        )
    )
    result = {"fastest": fastest[0], "fastest_bleu": fastest[BLEU], "fastest_speed": three_digits(fastest[SPEED])}
    result |= {"best": best[0], "best_bleu": best[BLEU], "best_speed": three_digits(best[SPEED])}
    render_experiment("history-ladder", {"ladder": "speed"}, result if order == "speed" else None)
    _render_reading(cards, comparison, single)
    table = [row.values for row in rows]
    files.csv(header, table, "ladder")
    files.folded_table(
        lambda: files.data_frame([row[1:] for row in table], header[1:], [row[0] for row in table], header[0])
    )
    network_differences.render_differences(cards, comparison, single)


def _render_reading(cards: dict[str, dict], comparison: NetworkComparison, single: SingleStack | None) -> None:
    """Show the check of BLEU and how to read the table."""
    again = {name: comparison.whole(name) for name in NETWORKS}
    if single:
        cards, again = cards | {DECODER_ONLY: single.card}, again | {DECODER_ONLY: single.study.whole}
    difference = max(abs(bleu - cards[name]["evaluation"]["greedy"]["bleu"]) for name, bleu in again.items())
    fold_check(
        "history",
        "ladder-check",
        difference=checks.format_difference("bleu of the card", difference),
        hardware=hardware(comparison.facts["hardware"]),
    )
    minutes = [cards[name]["training"]["minutes"] for name in again]
    values = {
        "least": three_digits(min(minutes)),
        "most": three_digits(max(minutes)),
        "batch": comparison.facts["batch"],
    }
    pairs = grouped(comparison.alignment_sentences)
    st.markdown(prose.block("history", "ladder-read", sentences=pairs, **values))
    if single:
        speeds = {name.replace("-", "_"): three_digits(rate) for name, rate in single.study.tokens_per_second.items()}
        machine = hardware(single.study.facts["hardware"])
        st.markdown(prose.block("history", "ladder-one-stack", hardware=machine, **speeds))


def network_rows(cards: dict[str, dict], comparison: NetworkComparison, single: SingleStack | None) -> list[NetworkRow]:
    """Return a row for each network, the decoder-only one last where it was measured."""
    rows = []
    for name in NETWORKS:
        rate = comparison.alignment.get(name)
        bands = {BLEU: comparison.bleu[name], CHRF: comparison.chrf[name]}
        bands |= {ERROR_RATE: rate.generated} if rate else {}
        rows.append(_row(name, cards[name], comparison.tokens_per_second[name], bands))
    if single:
        study = single.study
        bands = {BLEU: study.bleu, CHRF: study.chrf, ERROR_RATE: study.alignment.generated}
        rows.append(_row(DECODER_ONLY, single.card, study.tokens_per_second[DECODER_ONLY], bands))
    return rows


def _row(name: str, card: dict, speed: float, bands: dict[int, BootstrapInterval]) -> NetworkRow:
    greedy, error_rate = card["evaluation"]["greedy"], bands.get(ERROR_RATE)
    values = [
        networks_compared.network_label(name),
        card["parameters"],
        card["training"]["minutes"],
        greedy["bleu"],
        greedy["chrf"],
        speed,
        None if error_rate is None else error_rate.value,
    ]
    return NetworkRow(values, bands)


def better_is(column: int) -> str:
    """Which direction of a column's numbers is better, in words."""
    return LESS() if column in LESS_IS_BETTER else MORE()


def goodness(values: Sequence[float | None], column: int) -> list[float | None]:
    """How good each number of a column is, as a share of the best: 1 for the best; None without a number."""
    numbers = [value for value in values if value is not None]
    if column in LESS_IS_BETTER:
        return [None if value is None else min(numbers) / value for value in values]
    return [None if value is None else value / max(numbers) for value in values]


def _cells(rows: list[NetworkRow]) -> list[list[bars.Value]]:
    """The rows of the table with bars whose length is how good a number is."""
    cells: list[list[bars.Value]] = [[row.values[0]] for row in rows]
    for column in range(1, len(HEADER)):
        shares = goodness([row.values[column] for row in rows], column)
        for row, cell, share in zip(rows, cells, shares, strict=True):
            cell.append("\u2014" if share is None else bars.bar_cell(share, 1, "cross", _figure(row, column)))
    return cells


def _figure(row: NetworkRow, column: int) -> str:
    """A number as text, with its interval where it has one."""
    if band := row.bands.get(column):
        return networks_compared.band_text(band)
    return millions(round(row.values[column])) if column == 1 else three_digits(row.values[column])
