"""Looks as components: maps with their controls, or lines; and the files that a reader can save from them."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from .attention_maps import Look
from .views import attention_maps
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
NPZ_BYTES = 1 << 22  # of weights that a page also offers as a file: they stand in it twice then
CSV_WEIGHTS = 20_000


def as_maps(looks: Sequence[Look], words: bool) -> list[NotebookSection]:
    """All maps of all looks in one component, which offers kinds, whole words, special tokens, layers, heads, scales.

    Args:
        words: whether it begins with whole words.
    """
    first = looks[0]
    kinds = {look.name: look.kind for look in looks}
    grouped = {look.name: _words(look) for look in looks if look.words is not None}
    special = frozenset().union(*(look.special for look in looks))
    held = any(label.strip() in special for look in looks for label in (*look.queries, *look.keys))
    choices = [sentence_input.kind_choice(kinds)] if len(looks) > 1 else []
    if grouped:
        first_units = "words" if words else "tokens"
        choices.append(Choice(say("viewer.units", "Rows and columns"), UNITS, "units", first_units))
    if held:
        choices.append(Choice(say("viewer.special", "Special tokens"), MARKS, "marks"))
    rows = list(dict.fromkeys(name for look in looks for name in _layers(look)[:-1])) + [attention_maps.MEAN]
    columns = attention_maps.ids_with_mean(max(look.attention.shape[1] for look in looks))
    scale = sentence_input.scale_choice("own" if first.kind.places else "shared")
    choices += [*sentence_input.head_choices(rows, columns), scale]
    chosen = {"marks": "shown", "units": "tokens"} | {choice.key: choice.first for choice in choices}
    sheets = {look.name: _sheet(look) for look in looks}
    part = attention_kinds.snapshot(SheetsOfKinds(sheets, grouped, special, choices, chosen))
    heading = first.kind.headline if len(looks) == 1 else ""
    return [NotebookSection(heading, part)]


def _sheet(look: Look) -> Sheet:
    kind = look.kind
    return Sheet(
        attention_maps.with_means(look.attention),  # (layers + 1, heads + 1, query, key)
        _layers(look),
        attention_maps.ids_with_mean(look.attention.shape[1]),
        look.queries,
        look.keys,
        kind.name,
        kind.title,
        kind.causal,
        shared_scale=True,
        selected=(0, 0),
        places=kind.places,
        detail=_detail(kind),
    )


def _layers(look: Look) -> list[str]:
    return attention_maps.ids_with_mean(look.attention.shape[0], look.first)


def _detail(kind: attention_maps.Kind) -> Detail:
    return Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis)


def _words(look: Look) -> SheetWords:
    queries, keys = look.words
    starts = [word.start for word in queries], [word.start for word in keys]
    return SheetWords([word.text for word in queries], [word.text for word in keys], starts, _detail(look.kind))


def as_lines(looks: Sequence[Look], words: bool) -> list[NotebookSection]:
    """Each look as lines, one below the other; of the first layer all heads are drawn at first.

    Args:
        words: whether they join whole words.
    """
    sections = []
    for look in looks:
        shown = look.in_words() if words else look
        view = LinesView((0,), tuple(range(shown.attention.shape[1])))
        lines = AttentionLines(shown.attention, shown.queries, shown.keys, shown.kind, view, shown.first + 1)
        heading = shown.kind.headline
        if look.kind.short is look.kind.brief and len(looks) > 1:  # a run of layers
            heading = look.kind.heading(look.kind.short())
        sections.append(NotebookSection(heading, attention_lines.snapshot(lines)))
    return sections


def files_of(looks: Sequence[Look], pictures: bool) -> list[DownloadFile]:
    """What can be saved: the weights as NPZ, those of few tokens as CSV too, and all maps as SVG."""
    files = []
    if sum(look.attention.nbytes for look in looks) <= NPZ_BYTES:
        arrays = {}
        for look in looks:
            arrays |= {look.name: look.attention, f"{look.name}_queries": look.queries, f"{look.name}_keys": look.keys}
        content = downloads.arrays_npz(arrays)
        files.append(
            DownloadFile(say("show.npz", "Weights as NPZ"), "attention.npz", "application/octet-stream", content)
        )
    if sum(look.attention.size for look in looks) <= CSV_WEIGHTS:
        files.append(DownloadFile(say("show.csv", "Weights as CSV"), "attention.csv", "text/csv", _csv(looks)))
    for look in looks if pictures else ():
        weights = attention_maps.with_means(look.attention)
        picture = overview(
            Overview(weights, _layers(look), attention_maps.ids_with_mean(look.attention.shape[1]), look.kind, "shared")
        )
        label = partial(say, "show.svg", "{kind}: all maps as SVG")
        content = drawing.to_svg(picture)
        content = content.encode() if isinstance(content, str) else content
        files.append(
            DownloadFile(label(kind=look.kind.short()), f"attention-{look.name}.svg", "image/svg+xml", content)
        )
    return files


def _csv(looks: Sequence[Look]) -> bytes:
    """A row a weight: kind, layer, head, query and key from 1, with their tokens."""
    rows = []
    for look in looks:
        queries, keys = ([literal.token(name) for name in names] for names in (look.queries, look.keys))
        for layer, head, query, key in zip(*(index.ravel() for index in _indices(look)), strict=True):
            weight = float(look.attention[layer, head, query, key])
            place = look.first + layer + 1, head + 1, query + 1, queries[query], key + 1, keys[key]
            rows.append((look.name, *map(_plain, place), weight))
    sides = say("column.query-token", "query token"), say("column.key-token", "key token")
    place = say("column.layer", "layer"), say("column.head", "head")
    kind = say("column.kind", "kind")
    return downloads.table_csv([kind, *place, terms.QUERY(), sides[0], terms.KEY(), sides[1], terms.WEIGHT()], rows)


def _indices(look: Look):
    return np.indices(look.attention.shape)


def _plain(value: object) -> object:
    return value if isinstance(value, str) else int(value)
