"""The overview for every kind of attention of one input: the browser switches between them without the server.

The script is that of `attention_grid`. It also draws the controls: it applies a selection at once, writes it into the
URL, and reports it to the server half a second after the last change. The payload states which tokens make up a word
and which are special, so that the browser can show whole words and hide special tokens.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from .. import map_weights, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text.catalogue import say
from . import component, controls, html_export
from .attention_grid import FULL_PRECISION_BYTES, MOUNT, Detail, Sheet, shared_header, sheet_header


@dataclass(frozen=True)
class SheetWords:
    """The whole words on the axes of a sheet.

    Attributes:
        queries, keys: the words.
        starts: of the queries and of the keys, the index of each word's first token.
        detail: as in `Sheet`, for words.
    """

    queries: Sequence[str]
    keys: Sequence[str]
    starts: tuple[Sequence[int], Sequence[int]]
    detail: Detail


@dataclass(frozen=True)
class SheetsOfKinds:
    """The sheets of all kinds of attention, and the choices among them.

    Attributes:
        sheets: kind -> its sheet of tokens, with `detail`; colour scale and selection of a sheet are not read.
        words: the same in whole words, for kinds that have them.
        special: names of the special tokens.
        choices: some of "kind", "units", "marks", "layer", "head" and "scale".
        chosen: the selected option of each.
        elsewhere: choices that another component of the page draws; this one follows them.
    """

    sheets: Mapping[str, Sheet]
    words: Mapping[str, SheetWords]
    special: frozenset[str]
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Collection[str] = ()


def payload(by_kind: SheetsOfKinds, theme: palette.Theme, exact_bytes: int = FULL_PRECISION_BYTES) -> bytes:
    """The bytes that the script reads.

    Weights are float32 if all kinds together need at most `exact_bytes`, else float16; those of the selected
    kind also if it alone needs no more.
    """
    sizes = {name: sheet.weights.nbytes for name, sheet in by_kind.sheets.items()}
    selected = by_kind.chosen.get("kind", next(iter(sizes)))
    exact = {
        name: sum(sizes.values()) <= exact_bytes or (name == selected and size <= exact_bytes)
        for name, size in sizes.items()
    }
    kinds = {
        name: sheet_header(sheet, exact[name])
        | {
            "special": special_positions(sheet, by_kind.special),
            "grouped": _words_header(by_kind.words.get(name), by_kind.special),
        }
        for name, sheet in by_kind.sheets.items()
    }
    header = shared_header(theme) | {
        "decades": map_weights.DECADES,
        "kinds": kinds,
        "controls": controls.control_specs(by_kind.choices, by_kind.elsewhere),
    }
    arrays = []
    for name, sheet in by_kind.sheets.items():
        arrays += [sheet.weights.astype("<f4" if exact[name] else "<f2"), sheet.underlay]
    return component.pack(header, *arrays)  # the script copies each, so that all are aligned


def attention_kinds(by_kind: SheetsOfKinds, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the maps and their controls; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=by_kind.choices), on_choose
    MOUNT(key, payload(by_kind, sentence_input.theme()), dict(by_kind.chosen), chosen=handler)


def snapshot(by_kind: SheetsOfKinds) -> html_export.ComponentSnapshot:
    """The maps and their controls for an HTML file or a notebook."""
    content = payload(by_kind, "light", html_export.EXACT_BYTES)  # the browser uses its own theme
    exact = sum(sheet.weights.nbytes for sheet in by_kind.sheets.values()) <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    numbers = html_export.EXACT() if exact else rounded
    return html_export.ComponentSnapshot("attention_grid", "grid-root", content, dict(by_kind.chosen), numbers)


class LabelledAxes(Protocol):
    """An object with labels of queries and of keys."""

    @property
    def queries(self) -> Sequence[str]: ...

    @property
    def keys(self) -> Sequence[str]: ...


def special_positions(axes: LabelledAxes, special: frozenset[str]) -> list[list[int]]:
    """Indices of the special tokens among queries and keys."""
    return [
        [index for index, label in enumerate(labels) if label.strip() in special]
        for labels in (axes.queries, axes.keys)
    ]


def _words_header(words: SheetWords | None, special: frozenset[str]) -> dict[str, object] | None:
    if words is None:
        return None
    labels = {"queries": component.labels(words.queries), "keys": component.labels(words.keys)}
    return component.header_fields(words, special=special_positions(words, special)) | labels
