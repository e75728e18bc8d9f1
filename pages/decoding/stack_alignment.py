"""Where alignment is without cross-attention: English columns of self-attention beside the cross-attention."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model.attribution.alignment_error import count_links
from model.lessons.one_stack import cross_block
from pages.decoding.stack_heads import HeadTable, StackRequest, describe, place_values, render_head_maps
from pages.shared import checks, files
from pages.shared.texts import fold_check, paragraph
from views import map_labels
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.text import terms
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits


def render_alignment(stack: StackRequest) -> None:
    """Choose a head of either network; show both maps, the statistical links, and what every head attends to."""
    block, cross, links = cross_block(stack.forced), stack.trace.attention("cross"), stack.links()
    measures = stack.measures()
    paragraph("decoding", "stack-alignment")
    with st.container(horizontal=True, gap="medium"):
        own = _choose(say("one-stack.own", "Decoder-only"), block.shape[:2], "single", measures.aligned)
        other = _choose(say("one-stack.cross", "Cross-attention"), cross.shape[:2], "paired", _aligned(cross, links))
    matrix = partial(
        RowMatrix,
        rows=map_labels.row_names(stack.trace.target_tokens, stack.trace.chosen),
        read=stack.trace.next_tokens,
        attends=True,
        columns=stack.trace.source_tokens,
        row_title=say("history.generated", "generated token"),
        column_title=say("history.read", "source token"),
        signed=False,
    )
    own_title = say("one-stack.map.own", "decoder-only, {place}: English part of self-attention", place=describe(own))
    cross_title = say("one-stack.map.cross", "cross-attention, {place}", place=describe(other))
    items = [
        matrix(own_title, block[own], "decoder", top=1.0),
        matrix(cross_title, cross[other], "cross", top=1.0),
    ]
    if links is not None:
        words = (say("history.links.none", "no link"), say("history.links.one", "linked"))
        items.append(matrix(say("history.links", "statistical links"), links.astype(np.float32), "cross", words=words))
    attention_map(items, "stack_maps", per_row=2)
    name = say("one-stack.pair", "Both networks")
    arrays: dict[str, ArrayLike] = {"decoder_only": block, "cross": cross, "generated": list(stack.trace.next_tokens)}
    arrays |= {"source": list(stack.trace.source_tokens)} | ({} if links is None else {"links": links})
    with st.container(horizontal=True):
        files.matrices(items, name, "one-stack", say("one-stack.maps.pair", "Both maps"))
        files.npz("one-stack", arrays, say("one-stack.npz", "All heads as NPZ"))
    check = stack.forced.verification["decoder"]
    fold_check(
        "decoding",
        "check-one-stack",
        difference=checks.format_difference("attention", check.max_difference),
        rows=checks.format_difference("row sums", check.row_sum_error),
    )
    st.header(say("one-stack.where", "Which heads read English"), anchor=False)
    shares = place_values(measures.aligned) | {"share": float(measures.source[measures.aligned])}
    paragraph("decoding", "stack-where", **shares, even=measures.even_source)
    tables = [HeadTable(say("one-stack.to-english", "attention to English"), measures.source)]
    if not np.isnan(measures.error).all():
        tables.append(HeadTable(say("one-stack.error", "alignment error rate"), measures.error))
    if stack.study:
        heldout = stack.study.heads
        tables.append(HeadTable(say("one-stack.to-english.heldout", "attention to English, held out"), heldout.source))
        tables.append(HeadTable(say("one-stack.error.heldout", "alignment error rate, held out"), heldout.error))
    render_head_maps(tables, "stack_heads", "one-stack-heads")
    if stack.study:
        rate = stack.study.alignment_head.generated
        figures = {"error": three_digits(rate.value), "low": three_digits(rate.low), "high": three_digits(rate.high)}
        sentences = grouped(stack.study.alignment_sentences)
        paragraph("decoding", "stack-heldout", **place_values(stack.study.head), **figures, sentences=sentences)


def _choose(title: str, shape: tuple[int, ...], key: str, first: tuple[int, int]) -> tuple[int, int]:
    """Choose layer and head of a network; return both from 0."""
    labels = (f"{title}, {terms.LAYER()}", f"{title}, {terms.HEAD()}")
    chosen = [
        widgets.select(
            label, list(map(map_labels.to_id, range(count))), f"{key}_{part}", map_labels.to_id(place), width=190
        )
        for label, count, part, place in zip(labels, shape, ("layer", "head"), first, strict=True)
    ]
    layer, head = map(map_labels.index_of, chosen)
    return layer, head


def _aligned(cross: np.ndarray, links: np.ndarray | None) -> tuple[int, int]:
    """Layer and head of the cross-attention with the lowest alignment error; the last layer's first without links."""
    if links is None:
        return len(cross) - 1, 0
    errors = [[count_links(head, links).error for head in layer] for layer in cross]
    table = np.array(errors, dtype=float)
    layer, head = divmod(int(np.argmin(np.nan_to_num(table, nan=np.inf))), table.shape[1])
    return layer, head
