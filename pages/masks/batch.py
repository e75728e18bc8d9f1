"""Padding: the reader's ragged batch, its masks, and attention on padding with the mask and without."""

import numpy as np
import streamlit as st

from model.lessons.ragged import (
    MOST_SEQUENCES,
    MOST_TOKENS,
    PaddingEffect,
    RaggedBatch,
    padded,
    padding_effect,
    ragged_batch,
)
from pages.shared import checks, files
from pages.shared.charts import metrics
from pages.shared.code import same_in_pytorch
from pages.shared.experiment import experiment
from pages.shared.opening import Request
from pages.shared.runs import fragment
from pages.shared.texts import caption, paragraph
from views import maps
from views.address import settings
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, whole_numbers, widgets
from views.text import terms
from views.text.catalogue import Message, say, say_count, say_error

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
LARGEST = 99  # id
TOO_MANY = Message("masks.batch.many", "Type at most {most} sequences; there are {count}.")


@fragment
def show(request: Request) -> None:
    """A typed batch through the encoder. Typing or choosing runs only this part again."""
    config = request.service.model.config
    with st.container(horizontal=True, gap="medium"):
        typed = {"ids": say("masks.batch.ids", "Ids"), "lengths": say("masks.batch.lengths", "Lengths only")}
        by = widgets.pick(say("masks.batch.typed", "You type"), typed, "batch", default=_held(), varies=True)
        place = inputs.head(maps.names(config.n_encoder_layers)[:-1], maps.names(config.n_heads)[:-1])
    layer, head = (int(number) - 1 for number in place)
    try:
        batch = _typed_ids() if by == "ids" else _typed_lengths()
    except ValueError as error:
        st.warning(say_error(error))
        return
    lengths = batch.padding[:, 0, 0].sum(axis=1).tolist()
    effect = request.service.lesson(("padding", batch.ids.tobytes(), tuple(lengths), *place), _run, batch, layer, head)
    places = [str(number + 1) for number in range(batch.ids.shape[1])]
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
        top=float(batch.ids.max()) * 4,  # pale: an id is a name, not a quantity
    )
    matrix_row([ids], "batch_ids")
    numbers(effect)
    found = {"share": float(effect.without_mask), "length": lengths[0]} if len(set(lengths)) == 1 else None
    experiment("masks-padding", {"batch": "lengths", "lengths": "8 8 8 8"}, found)
    second = str(min(2, len(sequences)))
    shown = widgets.select(say("masks.sequence", "Sequence"), sequences, "sequence", second, width=180)
    masks(batch, effect, int(shown) - 1, places, maps.describe(*place))
    sequences = tuple(tuple(row[:length].tolist()) for row, length in zip(batch.ids, lengths, strict=True))
    same_in_pytorch("masks", "padding", sequences=sequences, layer=layer + 1, head=head + 1)


def _held() -> str:
    """Earlier versions knew only lengths, and so do their links."""
    return "lengths" if settings.held("lengths") else "ids"


def _typed_ids() -> RaggedBatch:
    """A line a sequence; ValueError says what to type."""
    typed = widgets.paragraphs(say("masks.batch.lines", "Ids of the tokens, a line for each sequence"), "ids", IDS)
    lines = [line for line in typed.splitlines() if line.strip()] or [""]
    if len(lines) > MOST_SEQUENCES:
        raise ValueError(TOO_MANY(most=MOST_SEQUENCES, count=len(lines)))
    return padded([whole_numbers.parse(line, "ids", (1, MOST_TOKENS), (1, LARGEST)) for line in lines])


def _typed_lengths() -> RaggedBatch:
    """Random ids; ValueError says what to type."""
    typed = widgets.text(say("masks.lengths", "Lengths of the sequences"), "lengths", LENGTHS, width=330)
    return ragged_batch(whole_numbers.parse(typed, "lengths", (1, MOST_SEQUENCES), (1, MOST_TOKENS)))


def _run(network, batch: RaggedBatch, layer: int, head: int) -> PaddingEffect:
    return padding_effect(network, batch, layer, head)


def numbers(effect: PaddingEffect) -> None:
    """What the mask does to the whole batch."""
    metrics(
        (say("masks.padding.with", "Largest weight on padding, with the mask"), effect.on_padding),
        (say("masks.padding.without", "Largest share of attention on padding, without"), effect.without_mask),
    )
    alone = checks.said("padding", effect.alone)
    caption("masks", "padding-check", alone=alone, unmasked=effect.alone_without_mask)


def masks(batch: RaggedBatch, effect: PaddingEffect, place: int, labels: list[str], head: str) -> None:
    """One sequence's masks and its attention, with the mask and without."""
    side = len(labels)
    shared = {"rows": labels, "columns": labels, "signed": False}
    shared |= {"row_title": terms.QUERY(), "column_title": terms.KEY()}
    words = say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")
    allowed = [np.broadcast_to(mask, (side, side)) for mask in (batch.padding[place, 0], batch.causal[0, 0])]
    titles = (
        say("masks.three.padding", "Padding mask"),
        say("masks.three.causal", "Causal mask"),
        say("masks.three.both", "Both: the decoder\u2019s target"),
    )
    paragraph("masks", "three-masks")
    three = [
        RowMatrix(title, mask.astype(np.float32), words=words, **shared)
        for title, mask in zip(titles, (*allowed, (batch.padding & batch.causal)[place, 0]), strict=True)
    ]
    matrix_row(three, "masks_of_one", beside=3)
    paragraph("masks", "one-sequence", place=head)
    masked = np.where(allowed[0], effect.masked[place], np.float32(-np.inf))
    name = say("masks.weights.with", "Weights with the padding mask")
    weights = [
        RowMatrix(name, masked, top=1.0, masked=("0", words[0]), **shared),
        RowMatrix(say("masks.weights.without", "Weights without it"), effect.unmasked[place], top=1.0, **shared),
    ]
    attention_map(weights, "weights_of_one", beside=2, places=True)
    title = say("masks.weights.title", "Sequence {sequence}, {place}", sequence=place + 1, place=head)
    arrays = {"ids": batch.ids, "padding": batch.padding, "causal": batch.causal}
    arrays |= {"masked": effect.masked, "unmasked": effect.unmasked}
    with st.container(horizontal=True):
        files.matrices([*three, *weights], title, "padding", say("masks.weights", "Masks and weights"))
        files.npz("padding", arrays, say("masks.batch.npz", "Batch as NPZ"))
