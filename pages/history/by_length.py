"""BLEU by the length of the source sentence, for the question whether a long sentence fits into one vector."""

import streamlit as st

from model.lessons.network_comparison import (
    FEWEST_SENTENCES,
    NETWORKS,
    ONE_VECTOR,
    TRANSFORMER,
    BootstrapInterval,
    LengthGroup,
    NetworkComparison,
)
from pages.history import networks_compared
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views.controls import sentence_input
from views.figures.intervals import IntervalSeries, intervals
from views.html import bars
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, percent, signed

RIVAL = "lstm-additive"  # the same cells with attention, with which the finding compares one vector


def render(request: Request) -> None:
    """Show the chart, the finding, the numbers, and the check against the cards."""
    measurements = networks_compared.comparison_or_warning()
    if measurements is None:
        return
    cards, comparison = measurements
    groups = [group_label(group) for group in comparison.groups]
    certain = [group.enough for group in comparison.groups]
    axes = say("history.lengths.words", "words of the English sentence"), say("column.bleu", "BLEU")
    series = [_series(comparison, name) for name in NETWORKS]
    alt = say(
        "history.lengths.chart",
        "BLEU of five networks by the length of the sentence; the table below has the same numbers.",
    )
    chart(intervals(series, groups, certain, sentence_input.theme(), *axes), "by_length", alt)
    st.markdown(_finding(comparison))
    short, long = comparison.compared
    ends = {
        f"{id}_{end}": group.bleu[name].value
        for id, name in (("vector", ONE_VECTOR), ("transformer", TRANSFORMER))
        for end, group in (("short", short), ("long", long))
    }
    render_experiment("history-one-vector", {}, {"short": length_range(short), "long": length_range(long), **ends})
    counts = {"sentences": comparison.sentences, "resamples": comparison.facts["resamples"], "fewest": FEWEST_SENTENCES}
    st.markdown(prose.block("history", "lengths-read", **{name: grouped(count) for name, count in counts.items()}))
    header, bands = bleu_table(comparison)
    cells = [[label, *map(networks_compared.band_cell, row)] for label, row in bands.items()]
    st.html(bars.table(header, cells, say("history.lengths.table", "BLEU by length"), whole=True, stacked=True))
    difference = max(abs(comparison.whole(name) - cards[name]["evaluation"]["greedy"]["bleu"]) for name in NETWORKS)
    fold_check("history", "lengths-check", difference=checks.format_difference("bleu of the card", difference))
    label = say("history.lengths.csv", "BLEU by length as CSV")
    files.csv(_csv_header(), lambda: _csv_rows(comparison), "bleu-by-length", label)


def group_label(group: LengthGroup) -> str:
    """Name a group by its lengths and its number of sentences."""
    return say(
        "history.lengths.group",
        "{lengths} (n\u00a0=\u00a0{count})",
        lengths=length_range(group),
        count=grouped(group.sentences),
    )


def length_range(group: LengthGroup) -> str:
    """Name the lengths of a group, in words."""
    if group.longest is None:
        return say("history.lengths.open", "{shortest} and more", shortest=group.shortest)
    return say("history.lengths.span", "{shortest} to {longest}", shortest=group.shortest, longest=group.longest)


def bleu_table(comparison: NetworkComparison) -> tuple[list[str], dict[str, list[BootstrapInterval]]]:
    """Return the header, with a column for each group of lengths, and the figures of each network by its label."""
    header = [say("history.column.network", "network"), *(group_label(group) for group in comparison.groups)]
    return header, {
        networks_compared.network_label(name): [group.bleu[name] for group in comparison.groups] for name in NETWORKS
    }


def _series(comparison: NetworkComparison, name: str) -> IntervalSeries:
    bands = [group.bleu[name] for group in comparison.groups]
    values, lows, highs = ([getattr(band, part) for band in bands] for part in ("value", "low", "high"))
    return IntervalSeries(networks_compared.network_label(name), values, lows, highs)


def _finding(comparison: NetworkComparison) -> str:
    """State shown, refuted or undecided, by the interval of the change over groups with enough sentences."""
    short, long = comparison.compared
    change = comparison.change[RIVAL]
    block = "lengths-shown" if change.high < 0 else "lengths-refuted" if change.low > 0 else "lengths-undecided"
    return prose.block(
        "history",
        block,
        short=length_range(short),
        long=length_range(long),
        before=percent(short.share[RIVAL].value),
        after=percent(long.share[RIVAL].value),
        transformer_before=percent(short.share[TRANSFORMER].value),
        transformer_after=percent(long.share[TRANSFORMER].value),
        low=signed(100 * change.low),
        high=signed(100 * change.high),
    )


def _csv_header() -> list[str]:
    return [
        say("history.column.network", "network"),
        say("history.lengths.shortest", "shortest, words"),
        say("history.lengths.longest", "longest, words"),
        say("history.lengths.sentences", "sentences"),
        say("column.bleu", "BLEU"),
        say("history.lengths.low", "BLEU, 2.5th percentile"),
        say("history.lengths.high", "BLEU, 97.5th percentile"),
        say("history.lengths.share", "BLEU of the LSTM with one vector, divided by this"),
    ]


def _csv_rows(comparison: NetworkComparison) -> list[list]:
    return [
        [networks_compared.network_label(name), group.shortest, group.longest or "", group.sentences]
        + [group.bleu[name].value, group.bleu[name].low, group.bleu[name].high, group.share[name].value]
        for name in NETWORKS
        for group in comparison.groups
    ]
