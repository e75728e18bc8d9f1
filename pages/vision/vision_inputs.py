"""What the views of the Vision page share: their settings, the class, pictures to choose from, the check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.texts import block, render_check
from views import attention_maps, patch_grid
from views.components.controls import fits
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads, drawing
from views.export.matrices import HeadMap
from views.export.over_picture import over_picture as drawn_over_picture
from views.text import terms
from views.text.catalogue import Untranslated, say

ANSWER = "answer"


@dataclass(frozen=True, eq=False)
class MapSettings:
    """What the reader chose, and the picture under the maps.

    Attributes:
        layers, heads: their names, means included.
        choices, chosen: what can be chosen, and the option that is.
        picture: `(height, width, 3)` uint8, grey.
        grid: rows and columns of patches.
    """

    layers: list[str]
    heads: list[str]
    choices: tuple[Choice, ...]
    chosen: dict[str, str]
    picture: np.ndarray
    grid: tuple[int, int]

    @property
    def place(self) -> tuple[int, int]:
        """Of the chosen map among layers and heads."""
        return self.layers.index(self.chosen["layer"]), self.heads.index(self.chosen["head"])

    @property
    def shared(self) -> bool:
        """One colour scale for maps that are compared."""
        return self.chosen["scale"] == "shared"

    @property
    def patch(self) -> tuple[int, int]:
        """Row and column of the chosen patch, from 0."""
        return int(self.chosen["row"]) - 1, int(self.chosen["column"]) - 1

    def only(self, *names: str) -> tuple[tuple[Choice, ...], dict[str, str]]:
        """These choices, and what is chosen of them."""
        return tuple(each for each in self.choices if each.key in names), {name: self.chosen[name] for name in names}

    @property
    def id(self) -> str:
        """Layer and head, for names of files."""
        return f"{self.layers[self.place[0]]}-{self.heads[self.place[1]]}"

    @property
    def words(self) -> str:
        """Layer and head."""
        return attention_maps.describe(self.layers[self.place[0]], self.heads[self.place[1]])

    def head_map(self, weights: np.ndarray, words: str, top: float | None) -> HeadMap:
        """`(patch,)` weights as a map over the grid; `top` None stands for the largest of them."""
        top = float(weights.max()) if top is None else top
        return HeadMap(
            weights.reshape(self.grid), *attention_maps.grid_names(self.grid), attention_maps.GRID, words, top
        )

    def drawn(self, shown: HeadMap) -> drawing.Drawing:
        """A map as a picture for a file."""
        return drawn_over_picture(shown, self.picture, *(int(self.chosen[each]) / 100 for each in ("opacity", "kept")))


def read_map_settings(trace: PatchTrace, scale_of: Literal["head", "map"]) -> MapSettings:
    """What the maps' controls say; the mean over the last layer's heads comes first."""
    layers, heads = (attention_maps.ids_with_mean(count) for count in trace.attention.shape[:2])
    choices = (
        *sentence_input.head_choices(layers, heads, (len(layers) - 2, len(heads) - 1)),
        *sentence_input.patch_choices(trace.grid),
        sentence_input.scale_choice("own", of=scale_of, log=False),
        *sentence_input.overlay_choices(),
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    return MapSettings(layers, heads, choices, chosen, patch_grid.grey(patch_grid.as_bytes(trace.pixels)), trace.grid)


def render_choosable_maps(
    look: MapSettings,
    panels: Sequence[PicturePanel],
    heading: str,
    key: str,
    weights: np.ndarray,
    tops: np.ndarray,
    elsewhere: Sequence[str] = (),
) -> None:
    """Maps of all heads over the picture on which a patch can be chosen, see `PatchPicture`.

    Args:
        weights: `(layer, head, 1 or 1 + patch, 1 + patch)`, without the means; where they are too many, those of the
            chosen head travel alone.
        tops: `(layer + 1, head + 1)`, the largest weight on a scale that maps share.
    """
    layers, heads = weights.shape[0] + 1, weights.shape[1] + 1
    names, shared = (look.layers, look.heads), tops
    if fits(layers * heads * weights[0, 0].size):
        sent = attention_maps.with_means(weights)
    else:
        sent = attention_maps.single_map(weights, *look.place)[None, None]
        names = tuple([options[at]] for options, at in zip(names, look.place, strict=True))
        shared = tops[look.place][None, None]
    title = heading.format(map=look.words)
    described = look.picture, look.grid, panels, title, look.choices, look.chosen, elsewhere, heading
    patch_picture(PatchPicture(*described, sent, names, shared), key=key, on_choose=sentence_input.store_selection)


def choose_class(label: str, trace: PatchTrace, **looks) -> int:
    """The box that chooses the class that a view is about, the answer at first; its place, from 0.

    `looks` go to `st.selectbox`.
    """
    classes = {ANSWER: say("vision.answer", "the answer")}
    classes |= {str(place): Untranslated(name) for place, name in enumerate(trace.classes, 1)}
    chosen = widgets.select(label, classes, "explain", **looks)
    return trace.answer if chosen == ANSWER else int(chosen) - 1


def place_columns(grid: tuple[int, int]) -> list[tables.TableColumn]:
    """The row and the column of every patch, from 1: the first columns of a table of patches."""
    rows, columns = np.indices(grid).reshape(2, -1) + 1
    return [tables.TableColumn(terms.ROW(), rows), tables.TableColumn(terms.COLUMN(), columns)]


def render_check_line(trace: PatchTrace) -> None:
    """The check of what is drawn."""
    if trace.record.verified_by != "sdpa":
        line, why = checks.describe_attention_check(trace.record)
        render_check(line, "attention_viewer", why)
        return
    check = trace.verify()
    difference, rows = (
        checks.format_difference("attention", check.max_difference),
        checks.format_difference("row sums", check.row_sum_error),
    )
    render_check(block("vision", "check", difference=difference, rows=rows), "vision")


def render_all_heads_file(trace: PatchTrace) -> None:
    """The attention of every layer and head as one file."""
    positions = (attention_maps.CLS, *attention_maps.patch_names(trace.grid))
    make = lambda: downloads.attention_npz("vision", trace.attention, positions, positions)  # noqa: E731
    files.download(say("files.all-heads.npz", "All heads as NPZ"), make, "vision.npz")
