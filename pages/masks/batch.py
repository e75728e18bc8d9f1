"""Padding: the reader's ragged batch, its masks, and attention on padding with the mask and without."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.ragged import MOST_SEQUENCES, MOST_TOKENS, PaddingEffect, RaggedBatch, padding_effect, ragged_batch
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.runs import fragment
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import inputs, whole_numbers, widgets
from views.export import downloads
from views.text import prose
from views.text.numbers import three_digits

LENGTHS = "16 5 11 2 4 5 1 20 12 10"
WORDS = ("hidden", "may look")


def show(request: Request) -> None:
    """A batch of the typed lengths through the encoder."""
    explore(request)
    st.subheader("How to read it", anchor=False)
    st.markdown(prose.block("masks", "Padding"))


@fragment
def explore(request: Request) -> None:
    """Typing or choosing runs only this part again."""
    config = request.service.model.config
    with st.container(horizontal=True, gap="medium"):
        typed = widgets.text("Lengths of the sequences", "lengths", LENGTHS, width=330)
        names = [str(number + 1) for number in range(max(config.n_encoder_layers, config.n_heads))]
        layer, head = (
            int(number) - 1 for number in inputs.head(names[: config.n_encoder_layers], names[: config.n_heads])
        )
    try:
        lengths = whole_numbers.parse(typed, "lengths", (1, MOST_SEQUENCES), (1, MOST_TOKENS))
    except ValueError as error:
        st.warning(str(error))
        return
    batch, effect = request.service.lesson(("padding", tuple(lengths), layer, head), _run, lengths, layer, head)
    places = [str(number + 1) for number in range(batch.ids.shape[1])]
    sequences = [f"{number} ({length} long)" for number, length in enumerate(lengths, 1)]
    st.markdown(prose.block("masks", "The batch").format(sequences=len(lengths), longest=max(lengths)))
    matrix_row(
        [
            RowMatrix(
                "Ids",
                np.where(batch.ids == 0, -np.inf, batch.ids),
                rows=sequences,
                columns=places,
                signed=False,
                masked=("0", "padding"),
                top=float(batch.ids.max()) * 4,  # pale: an id is a name, not a quantity
            )
        ],
        inputs.theme(),
        "batch",
        inputs.remember_theme,
    )
    numbers(effect)
    shown = widgets.select("Sequence", sequences, "sequence", sequences[1 % len(sequences)], width=180)
    masks(batch, effect, sequences.index(shown), places, f"layer {layer + 1}, head {head + 1}")


def _run(network, lengths: list[int], layer: int, head: int) -> tuple[RaggedBatch, PaddingEffect]:
    batch = ragged_batch(lengths)
    return batch, padding_effect(network, batch, layer, head)


def numbers(effect: PaddingEffect) -> None:
    """What the mask does to the whole batch."""
    one, two = st.columns(2)
    one.metric("Largest weight on padding, with the mask", three_digits(effect.on_padding))
    two.metric("Largest share of attention on padding, without", three_digits(effect.without_mask))
    st.caption(
        prose.block("masks", "Proof of padding").format(
            alone=checks.said("padding", effect.alone), unmasked=three_digits(effect.alone_without_mask)
        )
    )


def masks(batch: RaggedBatch, effect: PaddingEffect, place: int, labels: list[str], head: str) -> None:
    """One sequence's masks and its attention, with the mask and without."""
    side = len(labels)
    shared = {"rows": labels, "columns": labels, "signed": False, "row_title": "query", "column_title": "key"}
    allowed = [np.broadcast_to(mask, (side, side)) for mask in (batch.padding[place, 0], batch.causal[0, 0])]
    titles = ("Padding mask", "Causal mask", "Both: the decoder\u2019s target")
    st.markdown(prose.block("masks", "Three masks"))
    three = [
        RowMatrix(title, mask.astype(np.float32), words=WORDS, **shared)
        for title, mask in zip(titles, (*allowed, batch.combined[place, 0]), strict=True)
    ]
    matrix_row(three, inputs.theme(), "masks_of_one", inputs.remember_theme, beside=3)
    st.markdown(prose.block("masks", "Attention of one sequence").format(place=head))
    masked = np.where(allowed[0], effect.masked[place], np.float32(-np.inf))
    weights = [
        RowMatrix("Weights with the padding mask", masked, top=1.0, masked=("0", "masked"), **shared),
        RowMatrix("Weights without it", effect.unmasked[place], top=1.0, **shared),
    ]
    matrix_row(weights, inputs.theme(), "weights_of_one", inputs.remember_theme, beside=2)
    with st.container(horizontal=True):
        files.matrices([*three, *weights], f"Sequence {place + 1}, {head}", "padding", "Masks and weights")
        files.download(
            "Batch as NPZ",
            lambda: downloads.arrays_npz(
                ids=batch.ids,
                padding=batch.padding,
                causal=batch.causal,
                masked=effect.masked,
                unmasked=effect.unmasked,
            ),
            "padding.npz",
        )
    files.numbers(lambda: files.table(effect.masked[place], labels, labels, "query \\ key"), "padding_table")
