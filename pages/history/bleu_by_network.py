"""The section *The ladder*: a table of size, training time, BLEU and speed of all five networks."""

import streamlit as st

from model.lessons.network_comparison import NETWORKS, NetworkComparison
from pages.history import network_differences, networks_compared
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views.controls import widgets
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say
from views.text.numbers import grouped, millions, three_digits

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
    largest = [max(row[place] for row in table if row[place] is not None) for place in range(1, len(header))]
    cells = [[row[0], *map(_bar_cell, row[1:], largest, range(1, len(header)))] for row in table]
    by_label = {networks_compared.network_label(name): name for name in NETWORKS}
    for row in cells:
        name = by_label[str(row[0])]
        rate = comparison.alignment.get(name)
        row[BLEU] = networks_compared.band_cell(comparison.bleu[name])
        row[CHRF] = networks_compared.band_cell(comparison.chrf[name])
        row[ERROR_RATE] = networks_compared.band_cell(rate.generated if rate else None)
    st.html(bars.table(header, cells, say("ladder.table", "All five networks"), whole=True))
    result = {"fastest": fastest[0], "fastest_bleu": fastest[BLEU], "fastest_speed": three_digits(fastest[SPEED])}
    result |= {"best": best[0], "best_bleu": best[BLEU], "best_speed": three_digits(best[SPEED])}
    render_experiment("history-ladder", {"ladder": "speed"}, result if order == "speed" else None)
    difference = max(abs(comparison.whole(name) - cards[name]["evaluation"]["greedy"]["bleu"]) for name in NETWORKS)
    fold_check(
        "history",
        "ladder-check",
        difference=checks.format_difference("bleu of the card", difference),
        hardware=comparison.facts["hardware"],
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


def _bar_cell(value: float | None, top: float, column: int) -> str | bars.Cell:
    """A number with its bar; a dash for None."""
    if value is None:
        return "\u2014"
    return bars.bar_cell(value, top, "cross", millions(round(value)) if column == 1 else "")
