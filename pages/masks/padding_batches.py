"""Padding: a typed ragged batch, its masks, and attention on padding with and without the mask."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from model.lessons.padding_batches import (
    MOST_SEQUENCES,
    MOST_TOKENS,
    PaddingEffect,
    RaggedBatch,
    measure_padding_effect,
    pad_sequences,
    ragged_batch,
)
from pages.shared import checks, files
from pages.shared.charts import metrics
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import caption, paragraph
from views import map_labels
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import sentence_input, whole_numbers, widgets
from views.controls.typed_lists import split_rows
from views.controls.widgets import Choice
from views.text import terms
from views.text.catalogue import Message, say, say_count, say_error
from views.url_state import bound_settings

LENGTHS = "16 5 11 2 4 5 1 20 16 14"
# the batch of a known tutorial; in its vocabulary of 100 the ids 1 and 3 are tokens like any other
IDS = """62 13 47 39 78 33 56 13 39 29 44 86 71 36 18 75
60 96 51 32 90
35 45 48 65 91 99 92 10 3 21 54
75 51
66 88 98 47
21 39 10 64 21
98
77 65 51 77 19 15 35 19 23 97 50 46 53 42 45 91 66 3 43 10
70 64 98 25 99 53 4 13 69 62 66 76 15 75 45 34
20 64 81 35 76 85 1 62 8 45 99 77 19 43"""
LARGEST_ID = 99  # id
TOO_MANY = Message("masks.batch.many", "Type at most {most} sequences; there are {count}.")


@fragment
def render(request: Request) -> None:
    """Show a typed batch in the encoder. Typing or choosing reruns only this section."""
    config = request.service.model.config
    with st.container(horizontal=True, gap="medium"):
        kinds = {"ids": say("masks.batch.ids", "Ids"), "lengths": say("masks.batch.lengths", "Lengths only")}
        kind = widgets.pick(say("masks.batch.typed", "You type"), kinds, "batch", default=_default_input(), varies=True)
    try:
        batch = _read_ids() if kind == "ids" else _read_lengths()
    except ValueError as error:
        st.warning(say_error(error))
        return
    lengths = batch.padding[:, 0, 0].sum(axis=1).tolist()
    effect = request.service.lesson(("padding", batch.ids.tobytes(), tuple(lengths)), measure_padding_effect, batch)
    choices = sentence_input.head_choices(
        map_labels.ids_with_mean(config.n_encoder_layers)[:-1], map_labels.ids_with_mean(config.n_heads)[:-1]
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    layer, head = (map_labels.index_of(chosen[choice.key]) for choice in choices)
    places = [map_labels.to_id(number) for number in range(batch.ids.shape[1])]
    sequences = {
        str(number): say_count(
            "masks.sequence.long", "{number} ({count} token)", "{number} ({count} tokens)", length, number=number
        )
        for number, length in enumerate(lengths, 1)
    }
    paragraph("masks", "batch", sequences=len(lengths), longest=max(lengths))
    ids = RowMatrix(
        say("masks.ids", "Ids"),
        np.where(batch.ids == 0, -np.inf, batch.ids),
        rows=tuple(sequences.values()),
        columns=places,
        row_title=say("masks.sequence", "Sequence"),
        column_title=say("axis.position", "position"),
        signed=False,
        masked=("0", say("masks.cell.padding", "padding")),
        top=float(batch.ids.max()) * 4,  # pale, since an id is no quantity
    )
    matrix_row([ids], "batch_ids")
    render_metrics(effect, layer, head)
    share = float(effect.without_mask[layer, head])
    result = {"share": share, "length": lengths[0]} if len(set(lengths)) == 1 else None
    render_experiment("masks-padding", {"batch": "lengths", "lengths": "8 8 8 8"}, result)
    sequence = Choice(
        say("masks.sequence", "Sequence"), sequences, "sequence", str(min(2, len(sequences))), varies=True
    )
    render_masks(batch, effect, (sequence, *choices), {"sequence": sequence.in_component()} | chosen, places)
    typed_ids = tuple(tuple(row[:length].tolist()) for row, length in zip(batch.ids, lengths, strict=True))
    render_program("masks", "padding", sequences=typed_ids, layer=layer + 1, head=head + 1)


def _default_input() -> str:
    """Return the initial kind of input; links of earlier versions contain only lengths."""
    return "lengths" if bound_settings.stored_text("lengths") else "ids"


def _read_ids() -> RaggedBatch:
    """Read ids, a line or a pair of brackets for each sequence.

    Raises:
        ValueError: the message states what to type.
    """
    typed = widgets.paragraphs(
        say("masks.batch.lines", "Ids of the tokens, a line or a list for each sequence"), "ids", IDS
    )
    rows = split_rows(typed) or [[]]
    if len(rows) > MOST_SEQUENCES:
        raise ValueError(TOO_MANY(most=MOST_SEQUENCES, count=len(rows)))
    return pad_sequences([whole_numbers.check(row, "ids", (1, MOST_TOKENS), (1, LARGEST_ID)) for row in rows])


def _read_lengths() -> RaggedBatch:
    """Make random ids for typed lengths.

    Raises:
        ValueError: the message states what to type.
    """
    typed = widgets.text(say("masks.lengths", "Lengths of the sequences"), "lengths", LENGTHS, width=330)
    return ragged_batch(whole_numbers.parse(typed, "lengths", (1, MOST_SEQUENCES), (1, MOST_TOKENS)))


def render_metrics(effect: PaddingEffect, layer: int, head: int) -> None:
    """Show the effect of the mask on the whole batch, in one head."""
    metrics(
        (say("masks.padding.with", "Largest weight on padding, with the mask"), float(effect.on_padding[layer, head])),
        (
            say("masks.padding.without", "Largest share of attention on padding, without"),
            float(effect.without_mask[layer, head]),
        ),
    )
    alone = checks.format_difference("padding", effect.alone)
    caption("masks", "padding-check", alone=alone, unmasked=effect.alone_without_mask)


def render_masks(
    batch: RaggedBatch, effect: PaddingEffect, choices: Sequence[Choice], chosen: Mapping[str, str], labels: list[str]
) -> None:
    """Show the masks of a sequence, and its attention in a head with and without the mask."""
    side, count = len(labels), len(batch.ids)
    matrix = partial(
        RowMatrix,
        rows=labels,
        columns=labels,
        row_title=terms.QUERY(),
        column_title=terms.KEY(),
        signed=False,
        top=1.0,
    )
    words = say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")
    both = batch.padding & batch.causal
    allowed = [np.broadcast_to(mask[:, 0], (count, side, side)) for mask in (batch.padding, batch.causal, both)]
    titles = (
        say("masks.three.padding", "Padding mask"),
        say("masks.three.causal", "Causal mask"),
        say("masks.three.both", "Both: the decoder\u2019s target"),
    )
    paragraph("masks", "three-masks")
    mask_matrices = [
        matrix(title, mask.astype(np.float32), words=words) for title, mask in zip(titles, allowed, strict=True)
    ]
    numbers = [list(choice.options) for choice in choices]
    heading = say("masks.weights.title", "Sequence {sequence}, {place}", sequence="{sequence}", place="{map}")
    masked = np.where(allowed[0], effect.masked, np.float32(-np.inf)).transpose(2, 0, 1, 3, 4)
    unmasked = effect.unmasked.transpose(2, 0, 1, 3, 4)  # (sequence, layer, head, query, key)
    weights_title = say("masks.weights.with", "Weights with the padding mask")
    weights = [
        matrix(weights_title, masked, masked=("0", words[0])),
        matrix(say("masks.weights.without", "Weights without it"), unmasked),
    ]
    sentence_maps = LinkedHeatmaps(
        {"": MapSet(mask_matrices, "", numbers[:1])},
        ("sequence",),
        choices[:1],
        {"sequence": chosen["sequence"]},
        per_row=3,
        places=True,
    )
    linked_heatmaps(sentence_maps, "masks_of_one", sentence_input.store_selection)
    head_maps = LinkedHeatmaps(
        {"": MapSet(weights, heading, numbers)},
        ("sequence", "layer", "head"),
        choices,
        chosen,
        elsewhere=("sequence",),
        per_row=2,
        places=True,
    )
    linked_heatmaps(head_maps, "weights_of_one", sentence_input.store_selection)
    place = tuple(options.index(chosen[choice.key]) for options, choice in zip(numbers, choices, strict=True))
    title = heading.format(sequence=chosen["sequence"], map=map_labels.describe(chosen["layer"], chosen["head"]))
    arrays = {"ids": batch.ids, "padding": batch.padding, "causal": batch.causal}
    arrays |= {"masked": effect.masked[place[1:]], "unmasked": effect.unmasked[place[1:]]}
    items = [replace(item, values=item.values[place[:1]]) for item in mask_matrices]
    items += [replace(item, values=item.values[place]) for item in weights]
    with st.container(horizontal=True):
        files.matrices(items, title, "padding", say("masks.weights", "Masks and weights"))
        files.npz("padding", arrays, say("masks.batch.npz", "Batch as NPZ"))
