"""The same target twice: the decoder fed with it, and the decoder fed with its own words."""

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
from views.text.numbers import percent

HEADER = ["position", "forced: reads", "says", "should write", "p of that", "rank", "free: reads", "writes", "p"]


def show(request: Request) -> None:
    """A target box, the two inputs, and both runs position by position."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "Teacher forcing"))
    with left:
        forced = target(request)
        if forced is None:
            return
        st.html(
            tokens.label(f"What the encoder reads: {len(forced.source_tokens)} pieces, all at once")
            + tokens.chips(forced.source_tokens, "encoder")
            + tokens.label("What the decoder reads in training: the target, shifted right by one behind <s>")
            + steps.aligned(
                (("decoder reads", forced.target_tokens), ("should write", forced.next_tokens)), "The shifted target"
            )
        )
    free = request.service.trace(request.text, DecodingOptions())
    compared = compare_runs(forced, free, request.service.model.config.never_generated)
    st.subheader("Forced and free, position by position", anchor=False)
    if free.next_ids != forced.next_ids:  # else it is said of the target
        say_if_cut(request.service.ended(free.next_ids), "The free-running translation")
    st.markdown(literal.markdown(summary(compared, forced)))
    rows = table(compared, forced, free)
    st.html(bars.table(HEADER, [dress(row) for row in rows], "Teacher-forced and free-running, position by position"))
    st.caption(
        prose.block("decoding", "Proof of teacher forcing").format(
            difference=checks.said("two passes", compared.shared_difference)
        )
    )
    labelled = [[literal.token(cell) if isinstance(cell, str) and cell else cell for cell in row] for row in rows]
    files.download("CSV", lambda: downloads.table_csv(HEADER, labelled), "teacher-forcing.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=HEADER), "forcing_table", hide_index=True)


def summary(compared: Comparison, forced: Trace) -> str:
    """What happened, in words."""
    positions = len(compared.forced)
    said = f"Fed with the target, the model\u2019s first choice is the right piece at {compared.right} of {positions} "
    said += "positions. "
    if compared.departs is None:
        return said + "Fed with its own words it writes the same target, so both runs read the same all along."
    if compared.departs >= min(positions, len(compared.free)):
        return said + "Fed with its own words it writes the same, but the two do not end at the same place."
    wanted = literal.token(forced.next_tokens[compared.departs])
    return said + (
        f"Fed with its own words it departs at position {compared.departs + 1}, where the target has {wanted}; from "
        f"the next position on the two decoders have read different beginnings."
    )


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
