"""What the views of the Vision page share: their settings, the class, maps with a patch to choose, the check."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.texts import Figure, block, render_check
from views import kind_labels, map_labels, map_weights, patch_grid
from views.components.controls import fits
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.components.picture_stage import PictureStage, picture_stage
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads, drawing
from views.export.downloads import HeadMap
from views.export.over_picture import over_picture as drawn_over_picture
from views.text import terms
from views.text.catalogue import Message, Untranslated, say
from views.text.class_names import class_names
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis

ANSWER = "answer"


@dataclass(frozen=True, eq=False)
class MapSettings:
    """The user's choices for maps over a picture, and the picture."""

    # `layers`, `heads`: their names, means included
    layers: list[str]
    heads: list[str]
    # `choices`, `chosen`: the settings, and the chosen option of each
    choices: tuple[Choice, ...]
    chosen: dict[str, str]
    picture: np.ndarray  # `(height, width, 3)` uint8, grey
    grid: tuple[int, int]  # rows and columns of patches

    @property
    def place(self) -> tuple[int, int]:
        """Indices of the chosen map in `layers` and `heads`."""
        return self.layers.index(self.chosen["layer"]), self.heads.index(self.chosen["head"])

    @property
    def shared(self) -> bool:
        """Whether all maps share one colour scale."""
        return self.chosen["scale"] == "shared"

    @property
    def patch(self) -> tuple[int, int]:
        """Row and column of the chosen patch, from 0."""
        return map_labels.index_of(self.chosen["row"]), map_labels.index_of(self.chosen["column"])

    def subset(self, *names: str) -> tuple[tuple[Choice, ...], dict[str, str]]:
        """Return the choices with these names, and the chosen option of each."""
        return tuple(choice for choice in self.choices if choice.key in names), {
            name: self.chosen[name] for name in names
        }

    @property
    def id(self) -> str:
        """Layer and head, for file names."""
        return f"{self.layers[self.place[0]]}-{self.heads[self.place[1]]}"

    @property
    def label(self) -> str:
        """Layer and head in words."""
        return map_labels.describe(self.layers[self.place[0]], self.heads[self.place[1]])

    def head_map(self, weights: np.ndarray, title: str, largest: float | None) -> HeadMap:
        """Return `(patch,)` weights as a map over the grid.

        Args:
            largest: the weight with the deepest colour where maps share a scale; None if each has its own.
        """
        maps = KindMaps.of_one_map(kind_labels.GRID, weights.reshape(self.grid), map_labels.grid_names(self.grid))
        return HeadMap(maps, (0, 0), "own" if largest is None else "shared", title, largest)

    def draw(self, head_map: HeadMap) -> drawing.Drawing:
        """Draw a map over the picture, for a file."""
        opacity, share = (int(self.chosen[key]) / 100 for key in ("opacity", "kept"))
        return drawn_over_picture(head_map, self.picture, opacity, share)


def cls_maps(trace: PatchTrace, picture: np.ndarray) -> AttentionMaps:
    """Return the attention of CLS to the patches over a picture."""
    kind = replace(kind_labels.GRID, in_sentence=Message("vision.cls.overview", "Attention of CLS over the picture"))
    return AttentionMaps({kind.name: grid_maps(kind, trace.attention[:, :, 0], trace.grid)}, trace.grid, picture)


def grid_maps(kind: kind_labels.Kind, cls: np.ndarray, grid: tuple[int, int]) -> KindMaps:
    """Return weights of CLS as the query, `(layer, head, 1 + patch)`, as maps of rows and columns of patches."""
    rows, columns = (MapAxis(labels) for labels in map_labels.grid_names(grid))
    weights = cls[:, :, 1:].reshape(*cls.shape[:2], *grid)  # (layer, head, row, column)
    return KindMaps(kind, weights, rows, columns, tuple(range(len(cls))), "positions")


def read_map_settings(trace: PatchTrace, scale_of: Literal["head", "map"]) -> MapSettings:
    """Read the maps' controls; initially the mean over the last layer's heads is chosen."""
    layers, heads = (map_labels.ids_with_mean(count) for count in trace.attention.shape[:2])
    choices = (
        *sentence_input.head_choices(layers, heads, (len(layers) - 2, len(heads) - 1)),
        *sentence_input.patch_choices(trace.grid),
        sentence_input.scale_choice("own", of=scale_of, log=False),
        *sentence_input.overlay_choices(),
    )
    chosen = {choice.key: choice.in_component() for choice in choices}
    return MapSettings(layers, heads, choices, chosen, patch_grid.grey(patch_grid.as_bytes(trace.pixels)), trace.grid)


def render_choosable_maps(
    settings: MapSettings,
    panels: Sequence[PicturePanel],
    heading: str,
    key: str,
    weights: np.ndarray,
    tops: np.ndarray,
    beside: bool = False,
    read: np.ndarray | None = None,
    classes: Sequence[str] = (),
    may_be_none: bool = False,
) -> None:
    """Show maps of all heads over the picture on which a patch can be chosen, see `PatchPicture`.

    Args:
        weights: `(layer, head, 1 or 1 + patch, 1 + patch)`, without the means; if they are too many, only
            those of the chosen head are sent.
        tops: `(layer + 1, head + 1)`, the largest weight on a shared scale.
        beside: one panel with its controls next to it, a slider that goes through the layers, and, where all maps
            can be sent, CLS in every layer: it is the query.
        read: `(layer, class)` what is read from CLS after each layer, see `PictureStage`.
        classes: their names.
        may_be_none: the picture may show none of them.
    """
    names, shared_tops = (settings.layers, settings.heads), tops
    sends_all = sends_all_maps(weights)
    if sends_all:
        sent = map_weights.with_means(weights)
    else:
        sent = map_weights.single_map(weights, *settings.place)[None, None]
        names = [names[0][settings.place[0]]], [names[1][settings.place[1]]]
        shared_tops = tops[settings.place][None, None]
    title = heading.format(map=settings.label)
    arguments = settings.picture, settings.grid, panels, title, settings.choices, settings.chosen
    picture = PatchPicture(
        *arguments,
        heading=heading,
        weights=sent,
        names=names,
        tops=shared_tops,
        beside=beside,
        sliders=("layer",) if beside else (),
    )
    if beside and sends_all:
        picture_stage(PictureStage(picture, classes, read, may_be_none), key, sentence_input.store_selection)
    else:
        patch_picture(picture, key=key, on_choose=sentence_input.store_selection)


def sends_all_maps(weights: np.ndarray) -> bool:
    """Whether the browser gets the maps of all layers and heads and their means; `weights` have no means."""
    layers, heads = weights.shape[0] + 1, weights.shape[1] + 1
    return fits(layers * heads * weights[0, 0].size)


def choose_class(label: str, trace: PatchTrace, **looks) -> int:
    """Choose the class of a view, initially the answer; return its index.

    `looks` go to `st.selectbox`.
    """
    classes: dict[str, str | Untranslated] = {ANSWER: say("vision.answer", "the answer")}
    classes |= {str(place): Untranslated(name) for place, name in enumerate(class_names(trace.classes), 1)}
    option = widgets.select(label, classes, "explain", **looks)
    return trace.answer if option == ANSWER else map_labels.index_of(option)


def place_columns(grid: tuple[int, int]) -> list[tables.TableColumn]:
    """Return the first columns of a table of patches: the row and the column of each, from 1."""
    rows, columns = np.indices(grid).reshape(2, -1) + 1
    return [tables.TableColumn(terms.ROW(), rows), tables.TableColumn(terms.COLUMN(), columns)]


def render_check_line(trace: PatchTrace) -> None:
    """Show the check of the drawn attention."""
    if trace.record.verified_by != "sdpa":
        line, why = checks.describe_attention_check(trace.record)
        render_check(line, "attention_viewer", why)
        return
    check = trace.verify()
    difference, rows = (
        checks.format_difference("attention", check.max_difference),
        checks.format_difference("row sums", check.row_sum_error),
    )
    text = Figure(block("vision", "check", difference=difference, rows=rows), difference.within and rows.within)
    render_check(text, "vision")


def render_all_heads_file(trace: PatchTrace) -> None:
    """Offer the attention of every layer and head as one file."""
    positions = (kind_labels.CLS, *map_labels.patch_names(trace.grid))
    make = lambda: downloads.attention_npz("vision", trace.attention, positions, positions)  # noqa: E731
    files.download(say("files.all-heads.npz", "All heads as NPZ"), make, "vision.npz")
