"""The sections of a notebook view: maps with their controls, or lines; and the files that can be saved."""

from functools import partial

from ..components import attention_kinds, attention_lines
from ..components.attention_lines import AttentionLines, LinesView
from ..components.notebook_page import DownloadFile, NotebookSection
from ..export import drawing, weight_files
from ..export.overview_image import overview
from ..text.catalogue import say
from . import viewer_controls
from .attention_maps import AttentionMaps

NPZ_BYTES = 1 << 22  # of weights up to which a page also offers them as a file: it contains them twice then
CSV_WEIGHTS = 20_000


def map_sections(maps: AttentionMaps, words: bool) -> list[NotebookSection]:
    """All maps of all kinds in one component, with controls for kind, words, special tokens, layer, head and scale.

    Args:
        words: whether it starts with whole words.
    """
    choices = viewer_controls.kind_choices(maps)
    if maps.has_words:
        choices.append(viewer_controls.unit_choice("words" if words else "tokens"))
    if maps.has_special:
        choices.append(viewer_controls.special_token_choice())
    content = viewer_controls.grid_of_kinds(maps, choices, lambda choice: choice.first)
    (first, *others) = maps.values()
    return [NotebookSection("" if others else first.kind.headline, attention_kinds.snapshot(content))]


def line_sections(maps: AttentionMaps, words: bool) -> list[NotebookSection]:
    """Each kind as lines, one below the other, initially with all heads of the first layer.

    Args:
        words: whether the lines connect whole words.
    """
    sections = []
    for of_kind in (maps.in_words() if words else maps).values():
        view, kind = LinesView((0,), tuple(range(of_kind.weights.shape[1]))), of_kind.kind
        is_run = len(maps) > 1 and kind.short is kind.brief  # of layers with equally many heads
        heading = kind.heading(kind.short()) if is_run else kind.headline
        sections.append(NotebookSection(heading, attention_lines.snapshot(AttentionLines(of_kind, view))))
    return sections


def download_files(maps: AttentionMaps, pictures: bool) -> list[DownloadFile]:
    """The files that can be saved: weights as NPZ, small ones as CSV too, and all maps as SVG."""
    files = []
    if sum(each.weights.nbytes for each in maps.values()) <= NPZ_BYTES:
        content = weight_files.all_npz(maps)
        files.append(
            DownloadFile(say("show.npz", "Weights as NPZ"), "attention.npz", "application/octet-stream", content)
        )
    if sum(each.weights.size for each in maps.values()) <= CSV_WEIGHTS:
        content = weight_files.all_csv(maps)
        files.append(DownloadFile(say("show.csv", "Weights as CSV"), "attention.csv", "text/csv", content))
    label = partial(say, "show.svg", "{kind}: all maps as SVG")
    for name, each in maps.items() if pictures else ():
        content = drawing.to_svg(overview(each, "shared")).encode()
        files.append(DownloadFile(label(kind=each.kind.short()), f"attention-{name}.svg", "image/svg+xml", content))
    return files
