"""The components of a notebook view: maps with their controls, or lines; and the files that can be saved."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from .attention_maps import LabelledAttention
from .views import kind_labels, map_labels, map_weights
from .views.components import attention_kinds, attention_lines
from .views.components.attention_grid import Detail, Sheet
from .views.components.attention_kinds import SheetsOfKinds, SheetWords
from .views.components.attention_lines import AttentionLines, LinesView
from .views.components.notebook_page import DownloadFile, NotebookSection
from .views.controls import sentence_input
from .views.controls.widgets import Choice
from .views.export import downloads, drawing
from .views.export.overview_image import Overview, overview
from .views.text import literal, terms
from .views.text.catalogue import Message, say

UNITS = {"tokens": Message("viewer.units.tokens", "Tokens"), "words": Message("viewer.units.words", "Whole words")}
MARKS = {
    "shown": Message("viewer.special.shown", "Shown"),
    "hidden": Message("viewer.special.hidden", "Hidden"),
}
NPZ_BYTES = 1 << 22  # of weights up to which a page also offers them as a file: it contains them twice then
CSV_WEIGHTS = 20_000


def map_sections(items: Sequence[LabelledAttention], words: bool) -> list[NotebookSection]:
    """All maps of all items in one component, with controls for kind, words, special tokens, layer, head and scale.

    Args:
        words: whether it starts with whole words.
    """
    first = items[0]
    kinds = {item.name: item.kind for item in items}
    grouped = {item.name: _grouped_words(item) for item in items if item.words is not None}
    special = frozenset().union(*(item.special for item in items))
    has_special = any(label.strip() in special for item in items for label in (*item.queries, *item.keys))
    choices = [sentence_input.kind_choice(kinds)] if len(items) > 1 else []
    if grouped:
        initial_units = "words" if words else "tokens"
        choices.append(Choice(say("viewer.units", "Rows and columns"), UNITS, "units", initial_units))
    if has_special:
        choices.append(Choice(say("viewer.special", "Special tokens"), MARKS, "marks"))
    rows = map_labels.join_ids(map(_layer_names, items))
    columns = map_labels.ids_with_mean(max(item.attention.shape[1] for item in items))
    scale = sentence_input.scale_choice("own" if first.kind.places else "shared")
    choices += [*sentence_input.head_choices(rows, columns), scale]
    chosen = {"marks": "shown", "units": "tokens"} | {choice.key: choice.first for choice in choices}
    sheets = {item.name: _sheet(item) for item in items}
    part = attention_kinds.snapshot(SheetsOfKinds(sheets, grouped, special, choices, chosen))
    heading = first.kind.headline if len(items) == 1 else ""
    return [NotebookSection(heading, part)]


def _sheet(item: LabelledAttention) -> Sheet:
    kind = item.kind
    return Sheet(
        map_weights.with_means(item.attention),  # (layers + 1, heads + 1, query, key)
        _layer_names(item),
        map_labels.ids_with_mean(item.attention.shape[1]),
        item.queries,
        item.keys,
        kind.name,
        kind.title,
        kind.causal,
        shared_scale=True,
        selected=(0, 0),
        places=kind.places,
        detail=_detail(kind),
    )


def _layer_names(item: LabelledAttention) -> list[str]:
    return map_labels.ids_with_mean(item.numbers)


def _detail(kind: kind_labels.Kind) -> Detail:
    return Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis)


def _grouped_words(item: LabelledAttention) -> SheetWords:
    assert item.words is not None
    queries, keys = item.words
    starts = [word.start for word in queries], [word.start for word in keys]
    return SheetWords([word.text for word in queries], [word.text for word in keys], starts, _detail(item.kind))


def line_sections(items: Sequence[LabelledAttention], words: bool) -> list[NotebookSection]:
    """Each item as lines, one below the other, initially with all heads of the first layer.

    Args:
        words: whether the lines connect whole words.
    """
    sections = []
    for item in items:
        shown = item.in_words() if words else item
        view = LinesView((0,), tuple(range(shown.attention.shape[1])))
        lines = AttentionLines(shown.attention, shown.queries, shown.keys, shown.kind, view, shown.numbers)
        heading = shown.kind.headline
        if item.kind.short is item.kind.brief and len(items) > 1:  # a run of layers
            heading = item.kind.heading(item.kind.short())
        sections.append(NotebookSection(heading, attention_lines.snapshot(lines)))
    return sections


def download_files(items: Sequence[LabelledAttention], pictures: bool) -> list[DownloadFile]:
    """The files that can be saved: weights as NPZ, small ones as CSV too, and all maps as SVG."""
    files = []
    if sum(item.attention.nbytes for item in items) <= NPZ_BYTES:
        arrays: dict[str, np.ndarray | tuple[str, ...]] = {}
        for item in items:
            arrays |= {item.name: item.attention, f"{item.name}_queries": item.queries, f"{item.name}_keys": item.keys}
        content = downloads.arrays_npz(arrays)
        files.append(
            DownloadFile(say("show.npz", "Weights as NPZ"), "attention.npz", "application/octet-stream", content)
        )
    if sum(item.attention.size for item in items) <= CSV_WEIGHTS:
        files.append(DownloadFile(say("show.csv", "Weights as CSV"), "attention.csv", "text/csv", _csv(items)))
    for item in items if pictures else ():
        weights = map_weights.with_means(item.attention)
        picture = overview(
            Overview(
                weights, _layer_names(item), map_labels.ids_with_mean(item.attention.shape[1]), item.kind, "shared"
            )
        )
        label = partial(say, "show.svg", "{kind}: all maps as SVG")
        content = drawing.to_svg(picture)
        content = content.encode() if isinstance(content, str) else content
        files.append(
            DownloadFile(label(kind=item.kind.short()), f"attention-{item.name}.svg", "image/svg+xml", content)
        )
    return files


def _csv(items: Sequence[LabelledAttention]) -> bytes:
    """One row per weight: kind, layer, head, query and key from 1, with their tokens."""
    rows = []
    for item in items:
        queries, keys = ([literal.token(name) for name in names] for names in (item.queries, item.keys))
        for layer, head, query, key in zip(*(index.ravel() for index in _indices(item)), strict=True):
            weight = float(item.attention[layer, head, query, key])
            numbers = item.numbers[layer] + 1, int(head + 1)
            tokens = int(query + 1), queries[query], int(key + 1), keys[key]
            rows.append((item.name, *numbers, *tokens, weight))
    query_token, key_token = say("column.query-token", "query token"), say("column.key-token", "key token")
    layer_head = say("column.layer", "layer"), say("column.head", "head")
    header = [say("column.kind", "kind"), *layer_head, terms.QUERY(), query_token, terms.KEY(), key_token]
    return downloads.table_csv([*header, terms.WEIGHT()], rows)


def _indices(item: LabelledAttention):
    return np.indices(item.attention.shape)
