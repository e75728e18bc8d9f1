"""Attention of the single stack's heads to names and numbers that are copied."""

import numpy as np
import streamlit as st

from model.lessons.one_stack import copied_tokens, cross_block, following_ids, following_tokens
from pages.decoding.stack_heads import HeadTable, StackRequest, place_values, render_head_maps
from pages.shared import tables
from pages.shared.tables import TableColumn
from pages.shared.texts import block, paragraph
from views import map_labels
from views.text.catalogue import say
from views.text.numbers import grouped


def render_copying(stack: StackRequest) -> None:
    """Show what is copied and by which head, in this sentence and over held-out sentences."""
    paragraph("decoding", "stack-copying")
    measures, maps = stack.measures(), []
    if measures.copies:
        best = _largest(measures.copied)
        _render_steps(stack, best)
        shares = place_values(best) | {"share": float(measures.copied[best]), "even": measures.even_copied}
        paragraph("decoding", "stack-copied", **shares)
        maps.append(HeadTable(say("one-stack.copied", "attention to what is copied"), measures.copied))
    else:
        st.info(block("decoding", "stack-nothing-copied"))
    if stack.study:
        heldout = stack.study.heads
        maps.append(HeadTable(say("one-stack.copied.heldout", "attention to what is copied, held out"), heldout.copied))
    if maps:
        render_head_maps(maps, "stack_copying", "one-stack-copying")
    if stack.study:
        best = _largest(stack.study.heads.copied)
        values = place_values(best) | {"share": float(stack.study.heads.copied[best])}
        sizes = {"copies": grouped(stack.study.heads.copies), "sentences": grouped(stack.study.alignment_sentences)}
        paragraph("decoding", "stack-copied-heldout", **values, even=stack.study.heads.even_copied, **sizes)


def _render_steps(stack: StackRequest, best: tuple[int, int]) -> None:
    """Show a row for each token that is copied."""
    weights = cross_block(stack.forced)[best]  # (T, S)
    copies = copied_tokens(stack.forced.tokenizer, stack.forced.source_ids, following_ids(stack.forced))
    steps = np.flatnonzero(copies.any(axis=1))
    tokens = following_tokens(stack.forced)
    named = map_labels.describe(*map(map_labels.to_id, best))
    columns = [
        tables.token_column(say("column.generated", "generates"), [tokens[step] for step in steps], "fr"),
        TableColumn(
            say("one-stack.column.place", "place in the English sentence"),
            [", ".join(str(place + 1) for place in np.flatnonzero(copies[step])) for step in steps],
        ),
        tables.bar_column(
            say("one-stack.column.weight", "weight there, {place}", place=named),
            [float(weights[step][copies[step]].sum()) for step in steps],
            1.0,
        ),
    ]
    tables.render_table(columns, say("one-stack.copies", "Copied tokens"))


def _largest(table: np.ndarray) -> tuple[int, int]:
    layer, head = divmod(int(np.nanargmax(table)), table.shape[1])
    return layer, head
