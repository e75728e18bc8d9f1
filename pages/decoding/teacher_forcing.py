"""The same target twice: the decoder fed with it, and the decoder fed with its own tokens."""

from __future__ import annotations

import streamlit as st

from model import DecodingOptions, Trace
from model.lessons.teacher_forcing import Comparison, compare_runs
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.target import target
from pages.shared.texts import block, caption, paragraph, say_if_cut
from views.html import bars, steps, tokens
from views.text import literal
from views.text.catalogue import Message, say, say_count
from views.text.numbers import percent

HEADER = (
    Message("column.position", "position"),
    Message("forcing.forced.reads", "forced: reads"),
    Message("forcing.forced.says", "first choice"),
    Message("forcing.forced.target", "target"),
    Message("forcing.forced.probability", "p of the target"),
    Message("column.rank", "rank"),
    Message("forcing.free.reads", "free: reads"),
    Message("forcing.free.generates", "generates"),
    Message("forcing.free.probability", "p"),
)


def show(request: Request) -> None:
    """A target box, the two inputs, and both runs position by position."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph("decoding", "teacher-forcing")
    with left:
        forced = target(request)
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
            tokens.label(encoder)
            + tokens.chips(forced.source_tokens, "encoder")
            + tokens.label(decoder)
            + steps.aligned(rows, say("forcing.shifted", "The shifted target"))
        )
    free = request.service.trace(request.text, DecodingOptions())
    compared = compare_runs(forced, free, request.service.model.config.never_generated)
    st.subheader(say("forcing.both", "Forced and free, position by position"), anchor=False)
    # where both generate the same it is said of the target
    say_if_cut(free.next_ids == forced.next_ids or request.service.ended(free.next_ids), "free")
    st.markdown(summary(compared, forced))
    rows = table(compared, forced, free)
    header = [column() for column in HEADER]
    name = say("forcing.table", "Teacher-forced and free-running, position by position")
    st.html(bars.table(header, [dress(row) for row in rows], name))
    caption("decoding", "check-teacher-forcing", difference=checks.said("two passes", compared.shared_difference))
    labelled = [[literal.token(cell) if isinstance(cell, str) and cell else cell for cell in row] for row in rows]
    files.sheet(header, labelled, "teacher-forcing", key="forcing_table")


def summary(compared: Comparison, forced: Trace) -> str:
    """What happened, in words."""
    positions, departs = len(compared.forced), compared.departs
    first = block("decoding", "forced-right", right=compared.right, positions=positions)
    if departs is None:
        return f"{first} {block('decoding', 'free-same')}"
    if departs >= min(positions, len(compared.free)):
        return f"{first} {block('decoding', 'free-length')}"
    wanted = literal.markdown(literal.token(forced.next_tokens[departs]))
    return f"{first} {block('decoding', 'free-departs', position=departs + 1, token=wanted)}"


def table(compared: Comparison, forced: Trace, free: Trace) -> list[list]:
    """One row a position of the longer run; what a run does not reach is empty."""
    says = forced.tokenizer.labels([row.says for row in compared.forced])
    rows = []
    for place in range(max(len(compared.forced), len(compared.free))):
        row: list = [place + 1]
        if place < len(compared.forced):
            at = compared.forced[place]
            row += [forced.target_tokens[place], says[place], forced.next_tokens[place], at.right_probability, at.rank]
        else:
            row += ["", "", "", None, None]
        if place < len(compared.free):
            row += [free.target_tokens[place], free.next_tokens[place], compared.free[place].probability]
        else:
            row += ["", "", None]
        rows.append(row)
    return rows


def dress(row: list) -> list:
    """A row for the page: what differs from the target is marked."""
    place, fed, says, right, probability, rank, own, writes, own_probability = row
    return [
        str(place),
        cell(fed),
        cell(says, says == right),
        cell(right),
        "" if probability is None else steps.number(percent(probability)),
        "" if rank is None else str(rank),
        cell(own, own == fed),
        cell(writes, writes == right),
        "" if own_probability is None else steps.number(percent(own_probability)),
    ]


def cell(token: str, same: bool = True) -> bars.Cell | str:
    """A token, marked unless it is the same as its counterpart."""
    if not token:
        return ""
    return steps.plain(token) if same else steps.flagged(token)
