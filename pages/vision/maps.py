"""What the views of the Vision page share: their settings, the class, pictures to choose from, the check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.texts import block, explained
from views import maps, patches
from views.components.patch_picture import Panel, PatchPicture, patch_picture
from views.controls import inputs, widgets
from views.export import downloads, drawing
from views.export.matrices import HeadMap
from views.export.over_picture import over_picture as drawn_over_picture
from views.figures import overlay
from views.text import terms
from views.text.catalogue import Name, say

ANSWER = "answer"


@dataclass(frozen=True, eq=False)
class Look:
    """What the reader set, and the picture under the maps.

    Attributes:
        layers, heads: their names, means included.
        place: of the chosen map in both.
        shared: one colour scale for maps that are compared.
        opacity, kept: from 0 to 1; see `PatchPicture`.
        picture: `(height, width, 3)` uint8, grey.
        grid: rows and columns of patches.
    """

    layers: list[str]
    heads: list[str]
    place: tuple[int, int]
    shared: bool
    opacity: float
    kept: float
    picture: np.ndarray
    grid: tuple[int, int]

    @property
    def id(self) -> str:
        """Layer and head, for names of files."""
        return f"{self.layers[self.place[0]]}-{self.heads[self.place[1]]}"

    @property
    def words(self) -> str:
        """Layer and head."""
        return maps.describe(self.layers[self.place[0]], self.heads[self.place[1]])

    def head_map(self, weights: np.ndarray, words: str, top: float | None) -> HeadMap:
        """`(patch,)` weights as a map over the grid; `top` None stands for the largest of them."""
        top = float(weights.max()) if top is None else top
        return HeadMap(weights.reshape(self.grid), *maps.grid_names(self.grid), maps.GRID, words, top)

    def drawn(self, shown: HeadMap) -> drawing.Drawing:
        """A map as a picture for a file."""
        return drawn_over_picture(shown, self.picture, self.opacity, self.kept)


def settings(trace: PatchTrace, scale_of: Literal["head", "map"]) -> Look:
    """The row of controls above the maps; the mean over the last layer's heads comes first."""
    layers, heads = (maps.names(count) for count in trace.attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        layer, head = inputs.head(layers, heads, (len(layers) - 2, len(heads) - 1))
        shared = inputs.scale("own", of=scale_of, log=False) == "shared"
        opacity, kept = inputs.over_picture()
    place = layers.index(layer), heads.index(head)
    picture = patches.grey(patches.as_bytes(trace.pixels))
    return Look(layers, heads, place, shared, opacity, kept, picture, trace.grid)


def choosable(
    look: Look,
    panels: Sequence[Panel],
    title: str,
    selected: tuple[int, int],
    key: str,
    weights: np.ndarray,
    top: float | None,
) -> None:
    """Maps over the picture on which a patch can be chosen, see `PatchPicture`."""
    looks = {"weights": weights, "top": top, "opacity": look.opacity, "kept": look.kept}
    shown = PatchPicture(look.picture, look.grid, panels, title, selected, **looks)
    patch_picture(shown, key=key, on_select=inputs.choose_patch)


def chosen_class(label: str, trace: PatchTrace, **looks) -> int:
    """The box that chooses the class that a view is about, the answer at first; its place, from 0.

    `looks` go to `st.selectbox`.
    """
    classes = {ANSWER: say("vision.answer", "the answer")}
    classes |= {str(place): Name(name) for place, name in enumerate(trace.classes, 1)}
    chosen = widgets.select(label, classes, "explain", **looks)
    return trace.answer if chosen == ANSWER else int(chosen) - 1


def over_picture(trace: PatchTrace, map_: np.ndarray) -> np.ndarray:
    """A map of patches, of any shape, over the picture, enlarged for `st.image`."""
    return overlay.enlarged(overlay.overlay(trace.pixels, map_.reshape(trace.grid), inputs.theme()))


def places(grid: tuple[int, int]) -> list[tables.Column]:
    """The row and the column of every patch, from 1: the first columns of a table of patches."""
    rows, columns = np.indices(grid).reshape(2, -1) + 1
    return [tables.Column(terms.ROW(), rows), tables.Column(terms.COLUMN(), columns)]


def check_line(trace: PatchTrace) -> None:
    """The check of what is drawn."""
    if trace.record.verified_by != "sdpa":
        line, why = checks.of_attention(trace.record)
        explained(line, "attention_viewer", why)
        return
    check = trace.verify()
    difference, rows = checks.said("attention", check.max_difference), checks.said("row sums", check.row_sum_error)
    explained(block("vision", "check", difference=difference, rows=rows), "vision")


def all_heads(trace: PatchTrace) -> None:
    """The attention of every layer and head as one file."""
    positions = (maps.CLS, *maps.patch_names(trace.grid))
    make = lambda: downloads.attention_npz("vision", trace.attention, positions, positions)  # noqa: E731
    files.download(say("files.all-heads.npz", "All heads as NPZ"), make, "vision.npz")
