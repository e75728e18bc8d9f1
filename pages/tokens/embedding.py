"""From text to what the encoder's first layer reads, step by step."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.embedding import EmbeddingSteps, embedding_steps
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.opening import Request
from views import maps
from views.controls import widgets
from views.export import downloads
from views.figures.matrix import ChartMatrix, symmetric
from views.html import bars, tokens
from views.text import prose
from views.text.numbers import three_digits

STEPS = ("1 Pieces", "2 Ids", "3 Embedding rows", "4 \u00d7 \u221ad_model", "5 + position")
FOLLOWED = 4  # dimensions written out as numbers


def show(request: Request) -> None:
    """The five steps; one is open at a time."""
    tokenizer = request.service.model.tokenizer
    steps = request.service.lesson(
        ("embedding", request.text),
        embedding_steps,
        *(tokenizer, tokenizer.encode_source(request.text)),
    )
    step = widgets.pick("Step", STEPS, "step")
    wide, narrow = st.columns([3, 2], gap="large")
    with narrow:
        st.markdown(prose.block("tokens", step))
    with wide:
        if step == STEPS[0]:
            st.html(tokens.label(f"{len(request.text)} characters, {len(steps.ids) - 1} pieces and the end mark"))
            st.html(tokens.chips(steps.tokens, "encoder"))
        elif step == STEPS[1]:
            st.html(tokens.label(f"Each piece with its place in the table of {len(tokenizer)} pieces"))
            st.html(tokens.chips(steps.tokens, "encoder", notes=[str(token) for token in steps.ids]))
        else:
            vectors(steps, step)
    with narrow:
        follow(steps)
    st.caption(
        prose.block("tokens", "Proof of the steps").format(difference=checks.said("embedding", steps.difference))
    )
    numbers(steps)


def vectors(steps: EmbeddingSteps, step: str) -> None:
    """One row a token, one column a dimension."""
    values, what = {
        STEPS[2]: (steps.rows, "entry of the embedding row"),
        STEPS[3]: (steps.scaled, "entry after scaling"),
        STEPS[4]: (steps.embedded, "entry after adding the position"),
    }[step]
    labels = maps.numbered(steps.tokens)
    high = symmetric(values)
    shown = ChartMatrix(values, "piece", "dimension", what, rows=labels, low=-high, high=high)
    matrix_chart(shown, "vectors", f"Heatmap of every {what}; the table below has the same numbers.")
    lengths = [np.linalg.norm(array, axis=1).mean() for array in (steps.rows, steps.scaled, steps.positions)]
    st.caption(
        f"Mean length of the rows {three_digits(lengths[0])}, after scaling {three_digits(lengths[1])}; of the "
        f"position vectors {three_digits(lengths[2])}."
    )


def follow(steps: EmbeddingSteps) -> None:
    """One token's first numbers through all steps."""
    labels = maps.numbered(steps.tokens)
    place = labels.index(widgets.select("Follow one piece", labels, "piece"))
    root = three_digits(float(np.sqrt(steps.rows.shape[1])))
    named = (
        (f"row {steps.ids[place]}", steps.rows),
        (f"\u00d7 {root}", steps.scaled),
        (f"position {place}", steps.positions),
        ("sum", steps.embedded),
        ("encoder read", steps.recorded),
    )
    rows = [[name, *(float(value) for value in array[place, :FOLLOWED])] for name, array in named]
    header = [f"dimension 0 to {FOLLOWED - 1}", *map(str, range(FOLLOWED))]
    st.html(bars.table(header, rows, f"First numbers of piece {place + 1} in every step"))


def numbers(steps: EmbeddingSteps) -> None:
    """All steps as files; the sum as a table."""
    labels = maps.numbered(steps.tokens)
    dimensions = range(steps.rows.shape[1])
    header = ["piece", "id", *map(str, dimensions)]
    with st.container(horizontal=True):
        files.download(
            "Input vectors as CSV",
            lambda: downloads.table_csv(
                header,
                [[label, token, *row] for label, token, row in zip(labels, steps.ids, steps.embedded, strict=True)],
            ),
            "embedded.csv",
        )
        files.download(
            "All steps as NPZ",
            lambda: downloads.arrays_npz(
                {
                    "tokens": np.array(steps.tokens),
                    "ids": np.array(steps.ids),
                    "rows": steps.rows,
                    "scaled": steps.scaled,
                    "positions": steps.positions,
                    "embedded": steps.embedded,
                }
            ),
            "embedding.npz",
        )
    files.numbers(lambda: files.table(steps.embedded, list(map(str, dimensions)), labels, "token \\ dimension"))
