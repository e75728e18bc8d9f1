"""Vision, patches: the grid, one patch on its way to a vector, the first filters, the order of the sequence."""

from functools import partial

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.analysis import patch_embedding, principal_filters
from pages.shared import checks, files
from pages.shared.experiment import experiment
from pages.shared.runs import fragment
from pages.shared.service import Service
from pages.shared.texts import paragraph
from pages.vision.program import offer_program
from views import patches
from views.components.drawing_view import drawing_view
from views.components.patch_picture import Panel, PatchPicture, patch_picture
from views.controls import inputs
from views.export import drawing
from views.svg import patch
from views.text.catalogue import say

FILTERS = 28  # as many as the paper's figure 7 shows


def cut_in_patches(service: Service, key: str, trace: VisionTrace) -> None:
    """The picture in patches and one of them in detail; choosing another runs only that part again."""
    one_patch(service, trace)
    st.header(say("vision.filters", "The first filters"), anchor=False)
    paragraph("vision", "filters", width=service.model.config.d_model)
    count = min(FILTERS, service.model.config.patch_values)
    found = service.lesson(("filters", count), principal_filters, count)
    st.html(patch.filters(*found))


@fragment
def one_patch(service: Service, trace: VisionTrace) -> None:
    """The grid beside the chosen patch, and where it stands in the sequence."""
    config, (rows, columns) = service.model.config, trace.grid
    size = config.patch_size
    picture = patches.as_bytes(trace.pixels)
    left, right = st.columns([2, 3], gap="large")
    with left:
        paragraph("vision", "patches", rows=rows, columns=columns, size=size)
        choices = inputs.patch_to_choose(trace.grid)
        chosen = {choice.key: choice.inside() for choice in choices}
        row, column = (int(number) - 1 for number in chosen.values())
        title = say("vision.in-patches", "The picture in patches")
        whole = [Panel("", "nothing")]
        shown = PatchPicture(picture, trace.grid, whole, title, choices, chosen, followed=True)
        patch_picture(shown, key="patches", on_choose=inputs.remember)
    number = row * columns + column
    chosen, recorded = patches.block(trace.pixels, row, column, size), trace.patches[number]
    vector = patches.flattened(chosen)
    weight, bias = service.lesson("patch embedding", patch_embedding)
    embedded = weight.astype(np.float64) @ vector + bias
    with right:
        place = {"row": row + 1, "column": column + 1, "position": number + 1}
        st.markdown(
            say(
                "vision.patch.title",
                "**Patch in row {row}, column {column}: position {position} of the sequence**",
                **place,
            )
        )
        drawing_view(patch.steps(chosen, vector, recorded), key="steps")
        difference = checks.said("patch embedding", float(np.abs(embedded - recorded).max()))
        paragraph("vision", "embedding", values=config.patch_values, width=config.d_model, difference=difference)
        red, green, blue = (float(colour) for colour in chosen.reshape(-1, 3).mean(axis=0))
        found = {"red": red, "green": green, "blue": blue} if (row, column) == (0, 0) else None
        experiment("vision-patches", partial(inputs.choose_patch, 0, 0), found)
        _files(f"patch-{row + 1}-{column + 1}", picture, vector, embedded, recorded)
    st.header(say("vision.sequence", "The order of the sequence"), anchor=False)
    paragraph("vision", "sequence", count=1 + rows * columns)
    st.html(patch.strip(patches.sequence(picture, size), columns, number + 1))
    offer_program(service, "patches", row=row + 1, column=column + 1)


def _files(name: str, picture: np.ndarray, vector: np.ndarray, embedded: np.ndarray, recorded: np.ndarray) -> None:
    size = round((len(vector) / 3) ** 0.5)
    header = [
        say("column.step", "step"),
        say("vision.column.what", "what"),
        say("vision.column.recomputed", "value, recomputed with NumPy"),
        say("vision.column.recorded", "value, recorded in the network"),
    ]
    step = say("vision.step.vector", "vector")
    lines = [(step, *pair, None) for pair in zip(patches.value_names(size), vector, strict=True)]
    step = say("vision.step.embedding", "embedding")
    lines += [
        (step, say("vision.dimension", "dimension {place}", place=place), *pair)
        for place, pair in enumerate(zip(embedded, recorded.astype(float), strict=True), 1)
    ]
    height, width = picture.shape[:2]
    image = drawing.Pixels(0, 0, width, height, picture)
    whole = drawing.Drawing(width, height, say("vision.received.title", "What the model receives"), (image,))
    with st.container(horizontal=True):
        files.download(say("files.png", "PNG"), lambda: drawing.to_png(whole, 4), "received.png")
        files.csv(header, lines, name)
        files.npz(name, {"vector": vector, "embedding": embedded, "recorded": recorded})
    files.numbers(lambda: files.table(lines, header), hide_index=True)
