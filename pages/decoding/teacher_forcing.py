"""The same target twice: the decoder fed with it, and the decoder fed with its own tokens."""

from collections.abc import Iterable, Sequence

import streamlit as st

from model import DecodingOptions, Trace
from model.lessons.teacher_forcing import ForcedFreeComparison, compare_runs
from pages.decoding import given_tokens
from pages.shared import checks, files, tables
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import choose_target
from pages.shared.texts import block, column_with_text, fold_check, warn_if_cut_off
from views.controls import widgets
from views.html import decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_count
from views.text.numbers import three_digits

INPUTS = {
    "target": Message("forcing.input.target", "Your target"),
    "tokens": Message("forcing.input.tokens", "Given tokens"),
}
OTHER = "Il fait froid ce matin."  # a translation of another sentence


def render(request: Request) -> None:
    """Show a target box, the two inputs, and both runs position by position."""
    with column_with_text("decoding", "teacher-forcing"):
        if widgets.pick(say("forcing.input", "What is forced"), INPUTS, "forced_input") == "tokens":
            _render_encoder(request.service.model.tokenizer.display(_source(request)))
            given_tokens.render_given_tokens()
            render_experiment("decoding-teacher-forcing", {"forced_input": "target", "target": OTHER}, None)
            return
        forced = choose_target(request)
        if forced is None:
            return
        decoder = say(
            "forcing.decoder", "What the decoder reads in training: the target, shifted right by one after <s>"
        )
        rows = (
            (say("forcing.row.reads", "decoder reads"), forced.target_tokens),
            (say("forcing.row.target", "should generate"), forced.next_tokens),
        )
        _render_encoder(forced.source_tokens)
        st.html(
            generated_tokens.label(decoder)
            + decoding_steps.aligned_tokens(rows, say("forcing.shifted", "The shifted target"))
        )
    free_run = request.service.trace(request.text, DecodingOptions())
    comparison = compare_runs(forced, free_run, request.service.model.config.never_generated)
    st.header(say("forcing.both", "Forced and free, position by position"), anchor=False)
    # if both are equal, the note under the target states it already
    warn_if_cut_off(free_run.next_ids == forced.next_ids or request.service.has_ended(free_run.next_ids), "free")
    st.markdown(summary(comparison, forced))
    probabilities = [row.target_probability for row in comparison.forced]
    least_probable = min(range(len(probabilities)), key=probabilities.__getitem__)
    result = {
        "token": token_value(forced.next_tokens[least_probable]),
        "probability": float(probabilities[least_probable]),
    }
    result |= {"instead": token_value(forced.tokenizer.labels([comparison.forced[least_probable].predicted])[0])}
    render_experiment("decoding-teacher-forcing", {"target": OTHER}, result if forced.target_text == OTHER else None)
    columns = table_columns(comparison, forced, free_run)
    tables.render_table(columns, say("forcing.table", "Teacher-forced and free-running, position by position"))
    fold_check(
        "decoding",
        "check-teacher-forcing",
        difference=checks.format_difference("two passes", comparison.shared_difference),
    )
    files.csv_and_table(*tables.header_and_rows(columns), "teacher-forcing", key="forcing_table")


def _source(request: Request) -> list[int]:
    return request.service.model.tokenizer.encode_source(request.text)


def _render_encoder(tokens: Sequence[str]) -> None:
    encoder = say_count(
        "forcing.encoder",
        "What the encoder reads: {count} token",
        "What the encoder reads: {count} tokens, all at once",
        len(tokens),
    )
    st.html(generated_tokens.label(encoder) + generated_tokens.chips(tokens, "encoder"))


def summary(comparison: ForcedFreeComparison, forced: Trace) -> str:
    """Describe the comparison in words."""
    positions, departs = len(comparison.forced), comparison.diverges_at
    first = block("decoding", "forced-right", right=comparison.correct, positions=positions)
    if departs is None:
        return f"{first} {block('decoding', 'free-same')}"
    if departs >= min(positions, len(comparison.free)):
        return f"{first} {block('decoding', 'free-length')}"
    expected = literal.markdown(literal.token(forced.next_tokens[departs]))
    return f"{first} {block('decoding', 'free-departs', position=departs + 1, token=expected)}"


def table_columns(comparison: ForcedFreeComparison, forced: Trace, free_run: Trace) -> list[TableColumn]:
    """Return columns with a row for each position of the longer run; empty behind the end of the shorter."""
    length = max(len(comparison.forced), len(comparison.free))

    def padded(values: Iterable, filler=None) -> list:
        items = list(values)
        return items + [filler] * (length - len(items))

    def token_column(title: str, labels: Sequence[str], expected: Sequence[str] = ()) -> TableColumn:
        """A column of tokens; those that differ from the expected ones are marked."""
        labels, cell = padded(labels, ""), decoding_steps.token_cell
        pairs = zip(labels, padded(expected, "") if expected else labels, strict=True)
        cells = [
            label and (cell(label, "fr") if label == other else decoding_steps.differing_cell(label, "fr"))
            for label, other in pairs
        ]
        return TableColumn(title, [label and literal.token(label) for label in labels], cells)

    def probability_column(title: str, values: Iterable[float]) -> TableColumn:
        values = padded(values)
        return TableColumn(title, values, [None if value is None else three_digits(value) for value in values])

    reads, right = forced.target_tokens, forced.next_tokens
    predicted = forced.tokenizer.labels([row.predicted for row in comparison.forced])
    ranks, places = padded(row.rank for row in comparison.forced), list(range(1, length + 1))
    return [
        TableColumn(say("column.position", "position"), places, list(map(str, places))),
        token_column(say("forcing.forced.reads", "forced: reads"), reads),
        token_column(say("forcing.forced.says", "first choice"), predicted, right),
        token_column(say("forcing.forced.target", "target"), right),
        probability_column(
            say("forcing.forced.probability", "p of the target"), (at.target_probability for at in comparison.forced)
        ),
        TableColumn(say("column.rank", "rank"), ranks, [None if rank is None else str(rank) for rank in ranks]),
        token_column(say("forcing.free.reads", "free: reads"), free_run.target_tokens, reads),
        token_column(say("forcing.free.generates", "generates"), free_run.next_tokens, right),
        probability_column(say("forcing.free.probability", "p"), (at.probability for at in comparison.free)),
    ]
