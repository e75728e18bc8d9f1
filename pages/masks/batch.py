"""Padding: the reader's ragged batch, its masks, and attention on padding with the mask and without."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.ragged import MOST_SEQUENCES, MOST_TOKENS, PaddingEffect, RaggedBatch, padding_effect, ragged_batch
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views import maps
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, whole_numbers, widgets
from views.export import downloads
from views.text import prose
from views.text.catalogue import say, say_count, say_error
from views.text.numbers import three_digits

LENGTHS = "16 5 11 2 4 5 1 20 16 14"


def show(request: Request) -> None:
    """A batch of the typed lengths through the encoder."""
    explore(request)
    st.subheader(say("how-to-read", "How to read it"), anchor=False)
    st.markdown(prose.block("masks", "padding"))


@fragment
def explore(request: Request) -> None:
    """Typing or choosing runs only this part again."""
    config = request.service.model.config
    with st.container(horizontal=True, gap="medium"):
        typed = widgets.text(say("masks.lengths", "Lengths of the sequences"), "lengths", LENGTHS, width=330)
        names = [str(number + 1) for number in range(max(config.n_encoder_layers, config.n_heads))]
        layer, head = (
            int(number) - 1 for number in inputs.head(names[: config.n_encoder_layers], names[: config.n_heads])
        )
    try:
        lengths = whole_numbers.parse(typed, "lengths", (1, MOST_SEQUENCES), (1, MOST_TOKENS))
    except ValueError as error:
        st.warning(say_error(error))
        return
    batch, effect = request.service.lesson(("padding", tuple(lengths), layer, head), _run, lengths, layer, head)
    places = [str(number + 1) for number in range(batch.ids.shape[1])]
    sequences = {
        str(number): say_count(
            "masks.sequence.long", "{number} ({count} token)", "{number} ({count} tokens)", length, number=number
        )
        for number, length in enumerate(lengths, 1)
    }
    st.markdown(prose.block("masks", "batch", sequences=len(lengths), longest=max(lengths)))
    matrix_row(
        [
            RowMatrix(
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
        ],
        inputs.theme(),
        "batch",
        inputs.remember_theme,
    )
    numbers(effect)
    second = str(min(2, len(sequences)))
    shown = widgets.select(say("masks.sequence", "Sequence"), sequences, "sequence", second, width=180)
    masks(batch, effect, int(shown) - 1, places, maps.describe(str(layer + 1), str(head + 1)))


def _run(network, lengths: list[int], layer: int, head: int) -> tuple[RaggedBatch, PaddingEffect]:
    batch = ragged_batch(lengths)
    return batch, padding_effect(network, batch, layer, head)


def numbers(effect: PaddingEffect) -> None:
    """What the mask does to the whole batch."""
    one, two = st.columns(2)
    one.metric(say("masks.padding.with", "Largest weight on padding, with the mask"), three_digits(effect.on_padding))
    label = say("masks.padding.without", "Largest share of attention on padding, without")
    two.metric(label, three_digits(effect.without_mask))
    st.caption(
        prose.block(
            "masks",
            "padding-check",
            alone=checks.said("padding", effect.alone),
            unmasked=three_digits(effect.alone_without_mask),
        )
    )


def masks(batch: RaggedBatch, effect: PaddingEffect, place: int, labels: list[str], head: str) -> None:
    """One sequence's masks and its attention, with the mask and without."""
    side = len(labels)
    shared = {"rows": labels, "columns": labels, "signed": False}
    shared |= {"row_title": say("axis.query", "query"), "column_title": say("axis.key", "key")}
    masked_cell, allowed_cell = say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")
    allowed = [np.broadcast_to(mask, (side, side)) for mask in (batch.padding[place, 0], batch.causal[0, 0])]
    titles = (
        say("masks.three.padding", "Padding mask"),
        say("masks.three.causal", "Causal mask"),
        say("masks.three.both", "Both: the decoder\u2019s target"),
    )
    st.markdown(prose.block("masks", "three-masks"))
    three = [
        RowMatrix(title, mask.astype(np.float32), words=(masked_cell, allowed_cell), **shared)
        for title, mask in zip(titles, (*allowed, batch.combined[place, 0]), strict=True)
    ]
    matrix_row(three, inputs.theme(), "masks_of_one", inputs.remember_theme, beside=3)
    st.markdown(prose.block("masks", "one-sequence", place=head))
    masked = np.where(allowed[0], effect.masked[place], np.float32(-np.inf))
    weights = [
        RowMatrix(
            say("masks.weights.with", "Weights with the padding mask"),
            masked,
            top=1.0,
            masked=("0", masked_cell),
            **shared,
        ),
        RowMatrix(say("masks.weights.without", "Weights without it"), effect.unmasked[place], top=1.0, **shared),
    ]
    matrix_row(weights, inputs.theme(), "weights_of_one", inputs.remember_theme, beside=2)
    title = say("masks.weights.title", "Sequence {sequence}, {place}", sequence=place + 1, place=head)
    with st.container(horizontal=True):
        files.matrices([*three, *weights], title, "padding", say("masks.weights", "Masks and weights"))
        files.download(
            say("masks.batch.npz", "Batch as NPZ"),
            lambda: downloads.arrays_npz(
                ids=batch.ids,
                padding=batch.padding,
                causal=batch.causal,
                masked=effect.masked,
                unmasked=effect.unmasked,
            ),
            "padding.npz",
        )
    files.numbers(
        lambda: files.table(effect.masked[place], labels, labels, maps.KINDS["encoder"].corner), "padding_table"
    )
