"""The same target twice: the decoder fed with it, and the decoder fed with its own tokens."""

from collections.abc import Iterable, Sequence

import streamlit as st

from model import DecodingOptions, Trace
from model.lessons.teacher_forcing import ForcedFreeComparison, compare_runs
from pages.shared import checks, files, tables
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import choose_target
from pages.shared.texts import block, caption, column_with_text, warn_if_cut_off
from views.html import decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import say, say_count
from views.text.numbers import percent

OTHER = "Il fait froid ce matin."  # a translation of another sentence


def render(request: Request) -> None:
    """A target box, the two inputs, and both runs position by position."""
    with column_with_text("decoding", "teacher-forcing"):
        forced = choose_target(request)
        if forced is None:
            return
        encoder = say_count(
            "forcing.encoder",
            "What the encoder reads: {count} token",
            "What the encoder reads: {count} tokens, all at once",
            len(forced.source_tokens),
        )
        decoder = say(
            "forcing.decoder", "What the decoder reads in training: the target, shifted right by one behind <s>"
        )
        rows = (
            (say("forcing.row.reads", "decoder reads"), forced.target_tokens),
            (say("forcing.row.target", "should generate"), forced.next_tokens),
        )
        st.html(
            generated_tokens.label(encoder)
            + generated_tokens.chips(forced.source_tokens, "encoder")
            + generated_tokens.label(decoder)
            + decoding_steps.aligned_tokens(rows, say("forcing.shifted", "The shifted target"))
        )
    free = request.service.trace(request.text, DecodingOptions())
    compared = compare_runs(forced, free, request.service.model.config.never_generated)
    st.header(say("forcing.both", "Forced and free, position by position"), anchor=False)
    # where both generate the same it is said of the target
    warn_if_cut_off(free.next_ids == forced.next_ids or request.service.has_ended(free.next_ids), "free")
    st.markdown(summary(compared, forced))
    chances = [row.right_probability for row in compared.forced]
    least = min(range(len(chances)), key=chances.__getitem__)
    found = {"token": token_value(forced.next_tokens[least]), "probability": percent(chances[least])}
    found |= {"instead": token_value(forced.tokenizer.labels([compared.forced[least].says])[0])}
    render_experiment("decoding-teacher-forcing", {"target": OTHER}, found if forced.target_text == OTHER else None)
    columns = table_columns(compared, forced, free)
    tables.render_table(columns, say("forcing.table", "Teacher-forced and free-running, position by position"))
    caption(
        "decoding",
        "check-teacher-forcing",
        difference=checks.format_difference("two passes", compared.shared_difference),
    )
    files.csv_and_table(*tables.header_and_rows(columns), "teacher-forcing", key="forcing_table")


def summary(compared: ForcedFreeComparison, forced: Trace) -> str:
    """What happened, in words."""
    positions, departs = len(compared.forced), compared.departs
    first = block("decoding", "forced-right", right=compared.right, positions=positions)
    if departs is None:
        return f"{first} {block('decoding', 'free-same')}"
    if departs >= min(positions, len(compared.free)):
        return f"{first} {block('decoding', 'free-length')}"
    wanted = literal.markdown(literal.token(forced.next_tokens[departs]))
    return f"{first} {block('decoding', 'free-departs', position=departs + 1, token=wanted)}"


def table_columns(compared: ForcedFreeComparison, forced: Trace, free: Trace) -> list[TableColumn]:
    """One row a position of the longer run; what a run does not reach is empty."""
    length = max(len(compared.forced), len(compared.free))

    def filled(values: Iterable, nothing=None) -> list:
        found = list(values)
        return found + [nothing] * (length - len(found))

    def named(title: str, labels: Sequence[str], expected: Sequence[str] = ()) -> TableColumn:
        """What differs from what was expected is marked."""
        labels = filled(labels, "")
        pairs = zip(labels, filled(expected, "") if expected else labels, strict=True)
        cells = [
            label and (decoding_steps.token_cell(label) if label == other else decoding_steps.differing_cell(label))
            for label, other in pairs
        ]
        return TableColumn(title, [label and literal.token(label) for label in labels], cells)

    def chances(title: str, values: Iterable[float]) -> TableColumn:
        values = filled(values)
        return TableColumn(title, values, [None if value is None else percent(value) for value in values])

    reads, right = forced.target_tokens, forced.next_tokens
    says = forced.tokenizer.labels([row.says for row in compared.forced])
    ranks, places = filled(row.rank for row in compared.forced), list(range(1, length + 1))
    return [
        TableColumn(say("column.position", "position"), places, list(map(str, places))),
        named(say("forcing.forced.reads", "forced: reads"), reads),
        named(say("forcing.forced.says", "first choice"), says, right),
        named(say("forcing.forced.target", "target"), right),
        chances(say("forcing.forced.probability", "p of the target"), (at.right_probability for at in compared.forced)),
        TableColumn(say("column.rank", "rank"), ranks, [None if rank is None else str(rank) for rank in ranks]),
        named(say("forcing.free.reads", "free: reads"), free.target_tokens, reads),
        named(say("forcing.free.generates", "generates"), free.next_tokens, right),
        chances(say("forcing.free.probability", "p"), (at.probability for at in compared.free)),
    ]
