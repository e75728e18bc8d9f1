"""What differs between the networks of the ladder besides their kind, and the step of BLEU from one to the next."""

import streamlit as st

from model.lessons.network_comparison import NETWORKS, NetworkComparison, training_differences
from pages.history import networks_compared
from pages.shared import files
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say

READS = {
    "forwards": Message("ladder.reads.forwards", "first token first"),
    "backwards": Message("ladder.reads.backwards", "last token first"),
    "both": Message("ladder.reads.both", "both ways"),
    "at once": Message("ladder.reads.at-once", "all tokens at once"),
}
HEADER = (
    Message("history.column.network", "network"),
    Message("ladder.column.reads", "the encoder reads"),
    Message("ladder.column.epochs", "epochs"),
    Message("ladder.column.optimizer", "optimizer of the layers\u2019 matrices"),
    Message("ladder.column.average", "decay of the averaged weights"),
    Message("ladder.column.step", "BLEU, change from the one before (95 %)"),
)
BOUNDS = (  # further columns of the file
    Message("ladder.column.bleu", "BLEU"),
    Message("ladder.column.bleu.low", "BLEU, 95 % from"),
    Message("ladder.column.bleu.high", "BLEU, 95 % to"),
    Message("ladder.column.step.low", "change, 95 % from"),
    Message("ladder.column.step.high", "change, 95 % to"),
)
NONE = "\u2013"


def render(cards: dict[str, dict], comparison: NetworkComparison) -> None:
    """Show the table and its file, and what follows for a comparison."""
    st.header(say("ladder.differences", "What else differs"), anchor=False)
    resamples = comparison.facts["resamples"]
    st.markdown(prose.block("history", "ladder-differences", sentences=comparison.sentences, resamples=resamples))
    header, rows = [column() for column in HEADER], table_rows(cards, comparison)
    cells: list[list[bars.Value]] = [
        [
            *row[:3],
            bars.data_cell(row[3], "name"),
            row[4] or NONE,
            networks_compared.band_cell(comparison.steps.get(name)),
        ]
        for name, row in zip(NETWORKS, rows, strict=True)
    ]
    st.html(bars.table(header, cells, say("ladder.differences.table", "Training of all five networks"), whole=True))
    written = [row + _bounds(comparison, name) for name, row in zip(NETWORKS, rows, strict=True)]
    label = say("ladder.differences.csv", "What differs as CSV")
    files.csv([*header, *(column() for column in BOUNDS)], written, "ladder-differences", label)


def table_rows(cards: dict[str, dict], comparison: NetworkComparison) -> list[list]:
    """Return a row for each network, from the oldest, in the columns of `HEADER`; None where there is no step."""
    rows = []
    for name in NETWORKS:
        differences, step = training_differences(name, cards[name]), comparison.steps.get(name)
        rows.append(
            [
                networks_compared.network_label(name),
                READS[differences.reads](),
                differences.epochs,
                "Muon" if differences.muon else "AdamW",
                differences.average_decay,
                None if step is None else step.value,
            ]
        )
    return rows


def _bounds(comparison: NetworkComparison, name: str) -> list[float | None]:
    bleu, step = comparison.bleu[name], comparison.steps.get(name)
    return [bleu.value, bleu.low, bleu.high, *((None, None) if step is None else (step.low, step.high))]
