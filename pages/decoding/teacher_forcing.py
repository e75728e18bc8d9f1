"""The same target twice: the decoder fed with it, and the decoder fed with its own tokens."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model import DecodingOptions, Trace
from model.lessons.teacher_forcing import Comparison, compare_runs
from pages.shared import checks, files
from pages.shared.cut_off import say_if_cut
from pages.shared.opening import Request
from pages.shared.target import target
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, prose
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
        st.markdown(prose.block("decoding", "teacher-forcing"))
    with left:
        forced = target(request)
        if forced is None:
            return
        st.html(
            tokens.label(
                say_count(
                    "forcing.encoder",
                    "What the encoder reads: {count} token",
                    "What the encoder reads: {count} tokens, all at once",
                    len(forced.source_tokens),
                )
            )
            + tokens.chips(forced.source_tokens, "encoder")
            + tokens.label(
                say(
                    "forcing.decoder", "What the decoder reads in training: the target, shifted right by one behind <s>"
                )
            )
            + steps.aligned(
                (
                    (say("forcing.row.reads", "decoder reads"), forced.target_tokens),
                    (say("forcing.row.target", "should generate"), forced.next_tokens),
                ),
                say("forcing.shifted", "The shifted target"),
            )
        )
    free = request.service.trace(request.text, DecodingOptions())
    compared = compare_runs(forced, free, request.service.model.config.never_generated)
    st.subheader(say("forcing.both", "Forced and free, position by position"), anchor=False)
    if free.next_ids != forced.next_ids:  # else it is said of the target
        what = say("forcing.free.translation", "The free-running translation")
        say_if_cut(request.service.ended(free.next_ids), what)
    st.markdown(literal.markdown(summary(compared, forced)))
    rows = table(compared, forced, free)
    header = [column() for column in HEADER]
    name = say("forcing.table", "Teacher-forced and free-running, position by position")
    st.html(bars.table(header, [dress(row) for row in rows], name))
    difference = checks.said("two passes", compared.shared_difference)
    st.caption(prose.block("decoding", "check-teacher-forcing", difference=difference))
    labelled = [[literal.token(cell) if isinstance(cell, str) and cell else cell for cell in row] for row in rows]
    files.download(files.CSV(), lambda: downloads.table_csv(header, labelled), "teacher-forcing.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=header), "forcing_table", hide_index=True)


def summary(compared: Comparison, forced: Trace) -> str:
    """What happened, in words."""
    positions = len(compared.forced)
    text = "Fed with the target, the model\u2019s first choice is the right token at {right} of {positions} positions."
    first = say("forcing.right", text, right=compared.right, positions=positions)
    if compared.departs is None:
        text = "Fed with its own tokens it generates the same target, so both runs read the same all along."
        second = say("forcing.same", text)
    elif compared.departs >= min(positions, len(compared.free)):
        text = "Fed with its own tokens it generates the same, but the two do not end at the same place."
        second = say("forcing.length", text)
    else:
        wanted = literal.token(forced.next_tokens[compared.departs])
        second = say(
            "forcing.departs",
            "Fed with its own tokens it departs at position {position}, where the target has {token}; from the next "
            "position on the two decoders have read different tokens.",
            position=compared.departs + 1,
            token=wanted,
        )
    return f"{first} {second}"


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
