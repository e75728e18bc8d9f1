"""Every kind of attention of one input in one payload: what a reader chooses among them, the browser draws by itself.

The script is that of `attention_grid`. Beside the maps it draws the controls: it shows at once what is chosen in them,
writes it into the address, and tells the server once nothing else was chosen for half a second. So that it can show
whole words and leave special tokens out, it is told which tokens make up a word and which are special.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from .. import attention_maps, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text.catalogue import say
from . import component, html_export
from . import controls as choosing
from .attention_grid import FULL_PRECISION_BYTES, MOUNT, Detail, Sheet, shared_header, sheet_header


@dataclass(frozen=True)
class SheetWords:
    """The whole words on the axes of a sheet.

    Attributes:
        queries, keys: the words.
        starts: of the queries and of the keys, the place of each word's first token.
        detail: as in `Sheet`, for words.
    """

    queries: Sequence[str]
    keys: Sequence[str]
    starts: tuple[Sequence[int], Sequence[int]]
    detail: Detail


@dataclass(frozen=True)
class SheetsOfKinds:
    """What the browser can show.

    Attributes:
        sheets: by the names of their kinds, of tokens, with `detail`; colour scale and selection are not theirs.
        words: the same in whole words, for kinds that have them.
        special: names of the special tokens.
        choices: what a person chooses: among "kind", "units", "marks", "layer", "head" and "scale".
        chosen: the option that is chosen of each.
        elsewhere: choices that another component of the page draws; they are followed here.
    """

    sheets: Mapping[str, Sheet]
    words: Mapping[str, SheetWords]
    special: frozenset[str]
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    elsewhere: Collection[str] = ()


def payload(shown: SheetsOfKinds, theme: palette.Theme, exact_bytes: int = FULL_PRECISION_BYTES) -> bytes:
    """The bytes that `attention_grid.js` reads.

    Weights are float32 where all kinds together need at most `exact_bytes`, else float16; those of the chosen kind also
    where it alone needs no more.
    """
    sizes = {name: sheet.weights.nbytes for name, sheet in shown.sheets.items()}
    one = shown.chosen.get("kind", next(iter(sizes)))
    exact = {
        name: sum(sizes.values()) <= exact_bytes or (name == one and size <= exact_bytes)
        for name, size in sizes.items()
    }
    kinds = {
        name: sheet_header(sheet, exact[name])
        | {
            "special": special_positions(sheet, shown.special),
            "grouped": _words_header(shown.words.get(name), shown.special),
        }
        for name, sheet in shown.sheets.items()
    }
    header = shared_header(theme) | {
        "decades": attention_maps.DECADES,
        "kinds": kinds,
        "controls": choosing.control_specs(shown.choices, shown.elsewhere),
    }
    arrays = []
    for name, sheet in shown.sheets.items():
        arrays += [sheet.weights.astype("<f4" if exact[name] else "<f2"), sheet.underlay]
    return component.pack(header, *arrays)  # the script copies each, so that all of them are aligned


def attention_kinds(shown: SheetsOfKinds, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the maps and their controls; `on_choose` gets what is chosen of each, a moment after the last choice."""
    chosen = partial(choosing.valid_selection, choices=shown.choices), on_choose
    MOUNT(key, payload(shown, sentence_input.theme()), dict(shown.chosen), chosen=chosen)


def snapshot(shown: SheetsOfKinds) -> html_export.ComponentSnapshot:
    """The maps and their controls for a file that stands alone."""
    content = payload(shown, "light", html_export.EXACT_BYTES)  # the browser follows its own theme
    exact = sum(sheet.weights.nbytes for sheet in shown.sheets.values()) <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    numbers = html_export.EXACT() if exact else rounded
    return html_export.ComponentSnapshot("attention_grid", "grid-root", content, dict(shown.chosen), numbers)


class LabelledAxes(Protocol):
    """What has names of queries and of keys."""

    queries: Sequence[str]
    keys: Sequence[str]


def special_positions(shown: LabelledAxes, special: frozenset[str]) -> list[list[int]]:
    """Places of the special tokens among queries and keys."""
    return [
        [place for place, name in enumerate(names) if name.strip() in special] for names in (shown.queries, shown.keys)
    ]


def _words_header(words: SheetWords | None, special: frozenset[str]) -> dict[str, object] | None:
    if words is None:
        return None
    labels = {"queries": component.labels(words.queries), "keys": component.labels(words.keys)}
    return component.header_fields(words, special=special_positions(words, special)) | labels
