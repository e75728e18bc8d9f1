"""Vision, patches: the grid, one patch and its vector, the order of the sequence, the first filters."""

from functools import partial

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.vision_analysis import patch_embedding, principal_filters
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import paragraph
from pages.vision.program import render_vision_program
from views import map_labels, patch_grid
from views.components.one_patch import OnePatch, one_patch
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input
from views.export import drawing
from views.html.filters import filters
from views.text.catalogue import say

FILTERS = 28  # as many as the paper's figure 7 shows


def render_patches(service: Service, key: str, trace: VisionTrace) -> None:
    """Show the picture in patches, one of them in detail, and the first filters."""
    render_patch(service, trace)
    st.header(say("vision.filters", "The first filters"), anchor=False)
    paragraph("vision", "filters", width=service.model.config.d_model)
    count = min(FILTERS, service.model.config.patch_values)
    components = service.network_lesson(("filters", count), principal_filters, count)
    st.html(filters(*components))


@fragment
def render_patch(service: Service, trace: VisionTrace) -> None:
    """Show the grid, the selected patch and its place in the sequence; rerun for the numbers of another patch."""
    config, (rows, columns) = service.model.config, trace.grid
    size = config.patch_size
    picture = patch_grid.as_bytes(trace.pixels)
    choices = sentence_input.patch_choices(trace.grid)
    selected = {choice.key: choice.in_component() for choice in choices}
    row, column = (map_labels.index_of(number) for number in selected.values())
    left, right = st.columns([2, 3], gap="large")
    with left:
        paragraph("vision", "patches", rows=rows, columns=columns, size=size)
        panels, title = [PicturePanel("", "nothing")], say("vision.in-patches", "The picture in patches")
        grid_picture = PatchPicture(picture, trace.grid, panels, title, choices, selected)
        patch_picture(grid_picture, key="patches", on_choose=sentence_input.store_selection)
    number = row * columns + column
    patch, recorded = patch_grid.patch_pixels(trace.pixels, row, column, size), trace.patches[number]
    vector = patch_grid.flattened(patch)
    weight, bias = service.network_lesson("patch embedding", patch_embedding)
    embedded = weight.astype(np.float64) @ vector + bias
    with right:
        one_patch(OnePatch("steps", picture, trace.grid, choices, selected, trace.patches), key="steps")
        difference = checks.format_difference("patch embedding", float(np.abs(embedded - recorded).max()))
        paragraph("vision", "embedding", values=config.patch_values, width=config.d_model, difference=difference)
        red, green, blue = (float(colour) for colour in patch.reshape(-1, 3).mean(axis=0))
        result = {"red": red, "green": green, "blue": blue} if (row, column) == (0, 0) else None
        render_experiment("vision-patches", partial(sentence_input.choose_patch, 0, 0), result)
        _render_files(f"patch-{row + 1}-{column + 1}", picture, vector, embedded, recorded)
    st.header(say("vision.sequence", "The order of the sequence"), anchor=False)
    paragraph("vision", "sequence", count=1 + rows * columns)
    one_patch(OnePatch("sequence", picture, trace.grid, choices, selected), key="sequence")
    render_vision_program(service, "patches", row=row + 1, column=column + 1)


def _render_files(
    name: str, picture: np.ndarray, vector: np.ndarray, embedded: np.ndarray, recorded: np.ndarray
) -> None:
    size = round((len(vector) / 3) ** 0.5)
    header = [
        say("column.step", "step"),
        say("vision.column.what", "what"),
        say("vision.column.recomputed", "value, recomputed with NumPy"),
        say("vision.column.recorded", "value, recorded in the network"),
    ]
    step = say("vision.step.vector", "vector")
    lines = [(step, *pair, None) for pair in zip(patch_grid.value_names(size), vector, strict=True)]
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
    files.folded_table(lambda: files.data_frame(lines, header), hide_index=True)
