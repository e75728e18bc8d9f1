"""What differs between the networks besides their kind, and the step of BLEU from one to the next."""

from itertools import pairwise

import streamlit as st

from model.lessons.network_comparison import (
    DISTINCT,
    BootstrapInterval,
    NetworkComparison,
    training_differences,
)
from model.lessons.one_stack_heldout import DECODER_ONLY
from pages.history import networks_compared
from pages.history.networks_compared import SingleStack
from pages.shared import files
from views.html import bars
from views.text import prose
from views.text.catalogue import Message, say
from views.text.numbers import signed

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
