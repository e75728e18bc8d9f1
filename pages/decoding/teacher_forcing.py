"""The same target twice: the decoder fed with it, and the decoder fed with its own tokens."""

import re
from collections.abc import Iterable, Sequence

import streamlit as st

from model import DecodingOptions, Trace
from model.lessons.teacher_forcing import ForcedFreeComparison, compare_runs, shift_right
from model.runtime.messages import UserError
from pages.shared import checks, files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import choose_target
from pages.shared.texts import block, column_with_text, fold_check, paragraph, warn_if_cut_off
from views.controls import widgets
from views.html import bars, decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_count, say_error
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
            render_given_tokens()
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
            + decoding_steps.aligned_tokens(rows, say("forcing.shifted", "The shifted target"), "fr")
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


# Teacher forcing on tokens that the user types, of any language: what is read, seen and expected at each position.

EXAMPLE = "\ub098\ub294 \ucc28\ub97c \uc0ac\uace0\uc2f6\ub2e4"  # "I want to buy a car" in three Korean words
MOST, LONGEST = 24, 40  # tokens, and characters of one
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_START = re.compile(r"\[?(?:sos|bos|cls)\]?|</?s>|<(?:sos|bos)>", re.IGNORECASE)
_END = re.compile(r"\[?(?:eos|sep)\]?|</s>|<eos>", re.IGNORECASE)


def render_given_tokens() -> None:
    """Show a box for the tokens, the shifted pair, and a row for each position."""
    label = say("forcing.given", "Tokens of the target, spaces or commas between them, or a list")
    typed = widgets.text(label, "decoder_tokens", EXAMPLE)
    try:
        tokens = parse_tokens(typed)
    except UserError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    positions = shift_right(tokens)
    decoder = say("forcing.decoder", "What the decoder reads in training: the target, shifted right by one after <s>")
    rows = (
        (say("forcing.row.reads", "decoder reads"), [each.reads for each in positions]),
        (say("forcing.row.target", "should generate"), [each.expected for each in positions]),
    )
    shifted = decoding_steps.aligned_tokens(rows, say("forcing.shifted", "The shifted target"), "fr")
    st.html(generated_tokens.label(decoder) + shifted)
    paragraph("decoding", "given-tokens")
    places = list(range(1, len(positions) + 1))
    seen = [" ".join(each.seen) for each in positions]
    own = [say("forcing.given.start", "<s>, the same")]
    own += [say("forcing.given.own", "its own choice at position {position}", position=place) for place in places[:-1]]
    columns = [
        TableColumn(say("column.position", "position"), places, list(map(str, places))),
        _tokens(say("forcing.given.reads", "training: reads"), [each.reads for each in positions]),
        TableColumn(
            say("forcing.given.seen", "and attends to"),
            seen,
            [bars.Cell(generated_tokens.chips(each.seen, "decoder", language="und")) for each in positions],
        ),
        _tokens(say("forcing.forced.target", "target"), [each.expected for each in positions]),
        TableColumn(say("forcing.given.inference", "inference: reads"), own),
    ]
    tables.render_table(columns, say("forcing.given.table", "Given tokens, position by position"))
    files.csv_and_table(*tables.header_and_rows(columns), "given-tokens", key="given_table")
    render_program("decoding", "given-tokens", tokens=tokens)


def _tokens(title: str, tokens: list[str]) -> TableColumn:
    return TableColumn(title, tokens, list(map(decoding_steps.token_cell, tokens)))


def parse_tokens(text: str) -> tuple[str, ...]:
    """Parse tokens, such as `a b c`, `a, b, c` or `[[sos], 'a', 'b', 'c']`; marks of start and end are left out.

    Raises:
        UserError: there are none, too many, or one is too long.
    """
    quoted = [one or other for one, other in _QUOTED.findall(text)]
    tokens = quoted or re.split(r"[\s,;]+", text.strip().strip("[](){}"))
    tokens = [token.strip() for token in tokens if token.strip()]
    if tokens and _START.fullmatch(tokens[0]):
        tokens = tokens[1:]
    if tokens and _END.fullmatch(tokens[-1]):
        tokens = tokens[:-1]
    if not 1 <= len(tokens) <= MOST or any(len(token) > LONGEST for token in tokens):
        raise UserError(
            "Type 1 to {most} tokens of at most {longest} characters each, such as {example}.",
            most=MOST,
            longest=LONGEST,
            example=EXAMPLE,
        )
    return tuple(tokens)
