"""The section *Networks compared*: a table of size, training time, BLEU and speed of all networks that translate."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import streamlit as st

from model.lessons.network_comparison import (
    DISTINCT,
    NETWORKS,
    BootstrapInterval,
    NetworkComparison,
    training_differences,
)
from model.lessons.one_stack_heldout import DECODER_ONLY
from pages.history import networks_compared
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
from views.text.numbers import grouped, hardware, millions, signed, three_digits

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
    render_differences(cards, comparison, single)


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


# What differs between the networks besides their kind, and the step of BLEU from one to the next.

READS = {
    "forwards": Message("ladder.reads.forwards", "first token first"),
    "backwards": Message("ladder.reads.backwards", "last token first"),
    "both": Message("ladder.reads.both", "both ways"),
    "at once": Message("ladder.reads.at-once", "all tokens at once"),
    "none": Message("ladder.reads.none", "no encoder"),
}
DIFFERENCE_HEADER = (
    Message("history.column.network", "network"),
    Message("ladder.column.reads", "the encoder reads"),
    Message("ladder.column.pairs", "training pairs"),
    Message("ladder.column.split", "left out of training"),
    Message("ladder.column.epochs", "epochs"),
    Message("ladder.column.optimizer", "optimizer of the layers\u2019 matrices"),
    Message("ladder.column.average", "decay of the averaged weights"),
    Message("ladder.column.step", "BLEU, change from the one before, all test sentences (95 %)"),
)
DISTINCT_STEP = Message("ladder.column.step.distinct", "the same, test sentences without near duplicates")
BOUNDS = (  # further columns of the file
    Message("ladder.column.bleu", "BLEU"),
    Message("ladder.column.bleu.low", "BLEU, 95 % from"),
    Message("ladder.column.bleu.high", "BLEU, 95 % to"),
    Message("ladder.column.step.low", "change, 95 % from"),
    Message("ladder.column.step.high", "change, 95 % to"),
)
TEST = Message("ladder.split.all", "test sentences")
CLEAN = Message("ladder.split.clean", "test and validation sentences, and near duplicates of both")
NONE = "\u2013"


def render_differences(cards: dict[str, dict], comparison: NetworkComparison, single: SingleStack | None) -> None:
    """Show the table and its file, and what follows for a comparison."""
    st.header(say("ladder.differences", "What else differs"), anchor=False)
    resamples = comparison.facts["resamples"]
    st.markdown(prose.block("history", "ladder-differences", sentences=comparison.sentences, resamples=resamples))
    bleu, steps = dict(comparison.bleu), dict(comparison.steps)
    if single:
        cards = cards | {DECODER_ONLY: single.card}
        bleu[DECODER_ONLY], steps[DECODER_ONLY] = single.study.bleu, single.study.step
    header, rows = [column() for column in DIFFERENCE_HEADER], table_rows(cards, steps)
    distinct = distinct_steps(cards)
    cells: list[list[bars.Value]] = [
        [
            *(*row[:5], bars.data_cell(row[5], "name"), row[6] or NONE),
            *(networks_compared.band_cell(steps.get(name)), NONE if step is None else signed(step)),
        ]
        for name, row, step in zip(cards, rows, distinct, strict=True)
    ]
    header.append(DISTINCT_STEP())
    st.html(
        bars.table(header, cells, say("ladder.differences.table", "Training of all networks"), whole=True, stacked=True)
    )
    written = [
        row + [step] + bounds(bleu[name], steps.get(name))
        for name, row, step in zip(cards, rows, distinct, strict=True)
    ]
    label = say("ladder.differences.csv", "What differs as CSV")
    files.csv([*header, *(column() for column in BOUNDS)], written, "ladder-differences", label)


def table_rows(cards: dict[str, dict], steps: dict[str, BootstrapInterval]) -> list[list]:
    """Return a row for each network, from the oldest, in the columns of `HEADER`; None where there is no step."""
    rows = []
    for name, card in cards.items():
        differences, step = training_differences(name, card), steps.get(name)
        rows.append(
            [
                networks_compared.network_label(name),
                READS[differences.reads](),
                differences.pairs,
                (CLEAN if differences.has_validation else TEST)(),
                differences.epochs,
                "Muon" if differences.muon else "AdamW",
                differences.average_decay,
                None if step is None else step.value,
            ]
        )
    return rows


def distinct_steps(cards: dict[str, dict]) -> list[float | None]:
    """Change of greedy BLEU from each network to the next on test sentences without near duplicates, by the cards."""
    scores = [card["evaluation"].get(DISTINCT, {}).get("greedy", {}).get("bleu") for card in cards.values()]
    changes = (None if before is None or after is None else after - before for before, after in pairwise(scores))
    return [None, *changes]


def bounds(bleu: BootstrapInterval, step: BootstrapInterval | None) -> list[float | None]:
    """The cells of the further columns of the file."""
    return [bleu.value, bleu.low, bleu.high, *((None, None) if step is None else (step.low, step.high))]
