"""Vision, patches: the grid, one patch on its way to a vector, the first filters, the order of the sequence."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.analysis import patch_embedding, principal_filters
from pages.shared import checks, files
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.vision.maps import choosable
from views import patches
from views.components.drawing_view import drawing_view
from views.components.patch_picture import Panel, PatchPicture
from views.controls import inputs
from views.export import downloads, drawing
from views.svg import patch
from views.text import prose

FILTERS = 28  # as many as the paper's figure 7 shows


def cut_in_patches(service: Service, key: str, trace: VisionTrace) -> None:
    """The picture in patches and one of them in detail; choosing another runs only that part again."""
    one_patch(service, trace)
    st.subheader("The first filters", anchor=False)
    st.markdown(prose.block("vision", "Filters").format(width=service.model.config.d_model))
    count = min(FILTERS, service.model.config.patch_values)
    found = service.lesson(("filters", count), principal_filters, count)
    st.html(patch.filters(*found))


@fragment
def one_patch(service: Service, trace: VisionTrace) -> None:
    """The grid beside the chosen patch, and where it stands in the sequence."""
    config = service.model.config
    rows, columns = trace.grid
    size = config.patch_size
    picture = patches.as_bytes(trace.pixels)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(prose.block("vision", "Patches").format(rows=rows, columns=columns, size=size))
        with st.container(horizontal=True):
            row, column = inputs.patch(trace.grid)
        whole = [Panel("", "nothing")]
        choosable(
            PatchPicture(picture, trace.grid, whole, "The picture in patches", (row, column), inputs.theme()), "patches"
        )
    number = row * columns + column
    chosen = patches.block(trace.pixels, row, column, size)
    vector = patches.flattened(chosen)
    weight, bias = service.lesson("patch embedding", patch_embedding)
    embedded = weight.astype(np.float64) @ vector + bias
    with right:
        st.markdown(f"**Patch in row {row + 1}, column {column + 1}: position {number + 1} of the sequence**")
        drawing_view(patch.steps(chosen, vector, trace.patches[number]), key="steps")
        difference = float(np.abs(embedded - trace.patches[number]).max())
        st.markdown(
            prose.block("vision", "Embedding").format(
                values=config.patch_values, width=config.d_model, difference=checks.said("patch embedding", difference)
            )
        )
        _files(row, column, picture, vector, embedded, trace.patches[number])
    st.subheader("The order of the sequence", anchor=False)
    st.markdown(prose.block("vision", "Sequence").format(count=1 + rows * columns))
    st.html(patch.strip(patches.sequence(picture, size), columns, number + 1))


def _files(row: int, column: int, picture: np.ndarray, vector: np.ndarray, embedded: np.ndarray, recorded) -> None:
    name = f"patch {row + 1} {column + 1}".replace(" ", "-")
    size = round((len(vector) / 3) ** 0.5)
    values = list(zip(patches.value_names(size), vector, strict=True))
    results = list(zip(embedded, recorded.astype(float), strict=True))

    header = ["step", "what", "value, recomputed with NumPy", "value, recorded in the network"]
    lines = [("vector", *pair, None) for pair in values]
    lines += [("embedding", f"dimension {place}", *pair) for place, pair in enumerate(results, 1)]

    with st.container(horizontal=True):
        image = drawing.Pixels(0, 0, *picture.shape[1::-1], picture)
        whole = drawing.Drawing(*picture.shape[1::-1], "What the model receives", (image,))
        files.download("PNG", lambda: drawing.to_png(whole, 4), "received.png")
        files.download("CSV", lambda: downloads.table_csv(header, lines), f"{name}.csv")
        files.download(
            "NPZ",
            lambda: downloads.arrays_npz({"vector": vector, "embedding": embedded, "recorded": recorded}),
            f"{name}.npz",
        )
    files.numbers(lambda: files.table(lines, header), hide_index=True)
