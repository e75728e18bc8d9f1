"""The sections of a notebook view: maps with their controls, lines, running text, or a picture; and files to save."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import map_labels, map_weights, patch_grid
from ..components import attention_kinds, attention_lines, attention_text, patch_picture
from ..components.attention_lines import AttentionLines, LinesOfKinds, LinesView
from ..components.notebook_page import DownloadFile, NotebookSection
from ..components.patch_picture import PatchPicture, PicturePanel
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..export import drawing, weight_files
from ..export.overview_image import overview
from ..map_weights import Scale
from ..text.catalogue import Message, say
from . import viewer_controls
from .attention_maps import AttentionMaps
from .pictured_maps import PictureInText
from .viewer_controls import running_text

NPZ_BYTES = 1 << 22  # of weights up to which a page also offers them as a file: it contains them twice then
CSV_WEIGHTS = 20_000
SVG_WEIGHTS = 2_000_000  # of all maps of a kind, up to which they are offered as a drawing

FROM_CLS = Message("show.picture.cls", "CLS attends to")
FROM = Message("show.picture.from", "The chosen patch attends to")
TO = Message("show.picture.to", "What attends to the chosen patch")


@dataclass(frozen=True)
class FirstChoices:
    """What a view shows until the user chooses."""

    words: bool = False  # whole words in place of tokens
    pair: str = "all"  # which of two texts attends to which, one of `viewer_controls.PAIRS`
    scale: Scale | None = None  # the colour scale; None for the automatic one


def _choices(maps: AttentionMaps, first: FirstChoices) -> list[Choice]:
    """The choices that maps and lines share, besides layers and heads."""
    choices = viewer_controls.kind_choices(maps)
    if maps.has_pair:
        choices.append(viewer_controls.pair_choice(first.pair))
    if maps.has_words:
        choices.append(viewer_controls.unit_choice("words" if first.words else "tokens"))
    if maps.has_special:
        choices.append(viewer_controls.special_token_choice())
    return choices


def map_sections(maps: AttentionMaps, first: FirstChoices) -> list[NotebookSection]:
    """All maps of all kinds in one component, with controls for kind, texts, words, special tokens, head and scale."""
    scale = first.scale or viewer_controls.automatic_scale(maps)
    content = viewer_controls.grid_of_kinds(maps, _choices(maps, first), lambda choice: choice.first, scale)
    return [NotebookSection(_heading(maps), attention_kinds.snapshot(content))]


def text_sections(maps: AttentionMaps, first: FirstChoices) -> list[NotebookSection]:
    """Running text coloured by the attention of the token that is pointed at; at first the mean of the last layer."""
    return [NotebookSection(_heading(maps), attention_text.snapshot(running_text(maps, _choices(maps, first))))]


def pictured_text_sections(maps: AttentionMaps, pictures: Sequence[PictureInText]) -> list[NotebookSection]:
    """The running text with its pictures, coloured by the attention of a token or of a part of a picture."""
    content = running_text(maps, [attention_text.direction_choice()])
    return [NotebookSection(_heading(maps), attention_text.snapshot(content, pictures))]


def _heading(maps: AttentionMaps) -> str:
    (first, *others) = maps.values()
    return "" if others else first.kind.headline


def line_sections(maps: AttentionMaps, first: FirstChoices) -> list[NotebookSection]:
    """Each kind as lines, one below the other, initially with all heads of the first layer.

    Lines of two texts have controls for these, for words and special tokens.
    """
    sections = []
    for name, of_kind in (maps if maps.has_pair or not first.words else maps.in_words()).items():
        view, kind = LinesView((0,), tuple(range(of_kind.weights.shape[1]))), of_kind.kind
        is_run = len(maps) > 1 and kind.short is kind.brief  # of layers with equally many heads
        heading = kind.heading(kind.short()) if is_run else kind.headline
        if maps.has_pair:
            own = maps.select([name])
            choices = _choices(own, first)
            chosen = {choice.key: choice.first for choice in choices}
            snapshot = attention_lines.snapshot_of_kinds(LinesOfKinds(own, choices, chosen, view))
        else:
            snapshot = attention_lines.snapshot(AttentionLines(of_kind, view))
        sections.append(NotebookSection(heading, snapshot))
    return sections


def picture_sections(
    pixels: np.ndarray, weights: np.ndarray, grid: tuple[int, int], numbers: Sequence[int], has_cls: bool
) -> list[NotebookSection]:
    """Attention over a picture: of CLS, of the patch that is chosen in it, and to that patch.

    Args:
        pixels: `(height, width, 3)` in [0, 1].
        weights: `(layer, head, 1 + patch, 1 + patch)`, CLS first; zeros in its place where there is none.
        numbers: of the layers among all of the network, from 0.
        has_cls: whether the first position is CLS.
    """
    layers, heads = map_labels.ids_with_mean(numbers), map_labels.ids_with_mean(weights.shape[1])
    choices = (
        *sentence_input.head_choices(layers, heads, (len(layers) - 2, len(heads) - 1)),
        *sentence_input.patch_choices(grid),
        sentence_input.scale_choice("own", of="map", log=False),
        *sentence_input.overlay_choices(),
    )
    means = map_weights.with_means(weights)  # (layer + 1, head + 1, 1 + patch, 1 + patch)
    tops = means[:, :, 1:, 1:].max(axis=(2, 3))
    panels = [PicturePanel(FROM_CLS(), "cls")] if has_cls else []
    panels += [PicturePanel(FROM(), "from"), PicturePanel(TO(), "to")]
    content = PatchPicture(
        patch_grid.grey(patch_grid.as_bytes(pixels)),
        grid,
        panels,
        say("show.picture", "Attention over the picture"),
        choices,
        {choice.key: choice.first for choice in choices},
        heading="{map}",
        weights=means,
        names=(layers, heads),
        tops=tops,
    )
    return [NotebookSection("", patch_picture.snapshot(content))]


def download_files(maps: AttentionMaps, pictures: bool) -> list[DownloadFile]:
    """The files that can be saved: weights as NPZ, small ones as CSV too, and all maps as SVG where they are few."""
    files = []
    if sum(each.weights.nbytes for each in maps.values()) <= NPZ_BYTES:
        content = weight_files.all_npz(maps)
        files.append(
            DownloadFile(say("show.npz", "Weights as NPZ"), "attention.npz", "application/octet-stream", content)
        )
    if sum(each.weights.size for each in maps.values()) <= CSV_WEIGHTS:
        content = weight_files.all_csv(maps)
        files.append(DownloadFile(say("show.csv", "Weights as CSV"), "attention.csv", "text/csv", content))
    drawn = {name: each for name, each in maps.items() if pictures and each.weights.size <= SVG_WEIGHTS}
    for name, each in drawn.items():
        content = drawing.to_svg(overview(each, "shared")).encode()
        label = say("show.svg", "{kind}: all maps as SVG", kind=each.kind.short())
        files.append(DownloadFile(label, f"attention-{name}.svg", "image/svg+xml", content))
    return files
