"""Teacher forcing on tokens that the user types, of any language: what is read, seen and expected at each position."""

import re

import streamlit as st

from model.lessons.teacher_forcing import shift_right
from model.runtime.messages import UserError
from pages.shared import files, tables
from pages.shared.code import render_program
from pages.shared.tables import TableColumn
from pages.shared.texts import paragraph
from views.controls import widgets
from views.html import bars, decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import say, say_error

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
    shifted = decoding_steps.aligned_tokens(rows, say("forcing.shifted", "The shifted target"))
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
