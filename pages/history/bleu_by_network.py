"""The section *The ladder*: a table of size, training time, BLEU and speed of all five networks."""

from collections.abc import Sequence

import streamlit as st

from model.lessons.network_comparison import NETWORKS, NetworkComparison
from pages.history import network_differences, networks_compared
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


def render(request: Request) -> None:
    """Show the table, how to read it, and the check that its BLEU follows from the sentences by length."""
    measurements = networks_compared.comparison_or_warning()
    if measurements is None:
        return
    cards, comparison = measurements
    st.markdown(prose.block("history", "ladder"))
    orders = {
        "history": say("ladder.order.history", "Their history"),
        "speed": say("ladder.order.speed", "Speed of decoding"),
    }
    order = widgets.pick(say("ladder.order", "In the order of"), orders, "ladder")
    header, table = [column() for column in HEADER], table_rows(cards, comparison)
    best, fastest = (max(table, key=lambda row: row[place]) for place in (BLEU, SPEED))
    if order == "speed":
        table.sort(key=lambda row: -row[SPEED])
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
    st.html(bars.table(titles, _cells(table, comparison), say("ladder.table", "All five networks"), whole=True))
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
    difference = max(abs(comparison.whole(name) - cards[name]["evaluation"]["greedy"]["bleu"]) for name in NETWORKS)
    fold_check(
        "history",
        "ladder-check",
        difference=checks.format_difference("bleu of the card", difference),
        hardware=hardware(comparison.facts["hardware"]),
    )
    minutes = [cards[name]["training"]["minutes"] for name in NETWORKS]
    values = {
        "least": three_digits(min(minutes)),
        "most": three_digits(max(minutes)),
        "batch": comparison.facts["batch"],
    }
    pairs = grouped(comparison.alignment_sentences)
    st.markdown(prose.block("history", "ladder-read", sentences=pairs, **values))
    files.csv(header, table, "ladder")
    files.folded_table(
        lambda: files.data_frame([row[1:] for row in table], header[1:], [row[0] for row in table], header[0])
    )
    network_differences.render(cards, comparison)


def table_rows(cards: dict[str, dict], comparison: NetworkComparison) -> list[list]:
    """Return a row for each network, in the columns of `HEADER`; None without an alignment."""
    table = []
    for name in NETWORKS:
        card, error_rate = cards[name], comparison.alignment.get(name)
        evaluation = card["evaluation"]
        table.append(
            [
                networks_compared.network_label(name),
                card["parameters"],
                card["training"]["minutes"],
                evaluation["greedy"]["bleu"],
                evaluation["greedy"]["chrf"],
                comparison.tokens_per_second[name],
                None if error_rate is None else error_rate.generated.value,
            ]
        )
    return table


def better_is(column: int) -> str:
    """Which direction of a column's numbers is better, in words."""
    return LESS() if column in LESS_IS_BETTER else MORE()


def goodness(values: Sequence[float | None], column: int) -> list[float | None]:
    """How good each number of a column is, as a share of the best: 1 for the best; None without a number."""
    numbers = [value for value in values if value is not None]
    if column in LESS_IS_BETTER:
        return [None if value is None else min(numbers) / value for value in values]
    return [None if value is None else value / max(numbers) for value in values]


def _cells(table: list[list], comparison: NetworkComparison) -> list[list[bars.Value]]:
    """The rows of the table with bars whose length is how good a number is."""
    by_label = {networks_compared.network_label(name): name for name in NETWORKS}
    cells: list[list[bars.Value]] = [[row[0]] for row in table]
    for column in range(1, len(HEADER)):
        shares = goodness([row[column] for row in table], column)
        for row, cell, share in zip(table, cells, shares, strict=True):
            text = _figure(row[column], column, comparison, by_label[row[0]])
            cell.append("\u2014" if share is None else bars.bar_cell(share, 1, "cross", text))
    return cells


def _figure(value: float | None, column: int, comparison: NetworkComparison, name: str) -> str:
    """A number as text, with its interval where it has one."""
    rate = comparison.alignment.get(name)
    bands = {BLEU: comparison.bleu[name], CHRF: comparison.chrf[name], ERROR_RATE: rate.generated if rate else None}
    if band := bands.get(column):
        return networks_compared.band_text(band)
    return "" if value is None else millions(round(value)) if column == 1 else three_digits(value)
