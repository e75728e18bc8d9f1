"""The overview for every kind of attention of one input: the browser switches between them without the server.

The script is that of `attention_grid`. It also draws the controls: it applies a selection at once, writes it into the
URL, and reports it to the server half a second after the last change. The payload states which tokens make up a word
and which are special, so that the browser can show whole words and hide special tokens.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..kind_labels import Kind
from ..text.catalogue import say
from ..viewer.attention_maps import AttentionMaps, KindMaps, MapAxis
from ..viewer.payload import EXACT_BYTES, SentArray, dtype_of, pack
from . import component, controls, html_export
from .attention_grid import MOUNT, Sheet, detail_of, shared_header, sheet_arrays, sheet_header, sheet_of


@dataclass(frozen=True)
class GridOfKinds:
    """The maps of all kinds of attention, and the choices among them."""

    maps: AttentionMaps  # of tokens; the browser makes those of whole words
    choices: Sequence[Choice]  # some of "kind", "units", "marks", "layer", "head" and "scale"
    chosen: Mapping[str, str]  # the selected option of each
    elsewhere: Collection[str] = ()  # choices that another component of the page draws; this one follows them
    with_detail: bool = True  # the selected map is drawn large next to the overview

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """Kind -> its sheet of tokens, whose colour scale and selection are not read."""
        picture, detail = self.maps.picture, self.with_detail
        return {name: sheet_of(maps, picture=picture, with_detail=detail) for name, maps in self.maps.items()}


def payload(
    by_kind: GridOfKinds,
    theme: palette.Theme,
    exact_bytes: int = EXACT_BYTES,
    more: Mapping[str, object] | None = None,
    images: Mapping[str, np.ndarray] | None = None,
) -> bytes:
    """The bytes that the script reads.

    Weights are float32 if all kinds together need at most `exact_bytes`, else float16; those of the selected
    kind also if it alone needs no more.

    Args:
        more: further fields of the header.
        images: further arrays of bytes.
    """
    selected = by_kind.chosen.get("kind", next(iter(by_kind.sheets)))
    all_weights = [sheet.weights for sheet in by_kind.sheets.values()]
    kinds = {
        name: sheet_header(sheet) | words_header(by_kind.maps[name], lambda words: {"detail": detail_of(words)})
        for name, sheet in by_kind.sheets.items()
    }
    header: dict[str, object] = {
        **shared_header(theme),
        **(more or {}),
        "kinds": kinds,
        "controls": controls.control_specs(by_kind.choices, by_kind.elsewhere),
    }
    arrays: dict[str, SentArray | np.ndarray | None] = {}
    for name, sheet in by_kind.sheets.items():
        needed = [sheet.weights] if name == selected else all_weights
        dtype = dtype_of(*needed, exact_bytes=exact_bytes)
        arrays |= sheet_arrays(name, sheet, dtype, in_file=exact_bytes > EXACT_BYTES)
    return pack(header, {**arrays, **(images or {})})


def attention_kinds(by_kind: GridOfKinds, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the maps and their controls; `on_choose` gets the selected options, half a second after the last change."""
    handler = partial(controls.valid_selection, choices=by_kind.choices), on_choose
    MOUNT(key, payload(by_kind, sentence_input.theme()), dict(by_kind.chosen), chosen=handler)


def snapshot(by_kind: GridOfKinds) -> html_export.ComponentSnapshot:
    """The maps and their controls for an HTML file or a notebook."""
    content = payload(by_kind, "light", html_export.EXACT_BYTES)  # the browser uses its own theme
    exact = sum(sheet.weights.nbytes for sheet in by_kind.sheets.values()) <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    numbers = html_export.EXACT() if exact else rounded
    return html_export.ComponentSnapshot("attention_grid", "grid-root", content, dict(by_kind.chosen), numbers)


def read_header(queries: MapAxis) -> dict[str, object]:
    """The header field with the tokens read at the queries, where their names state more."""
    return {"read": component.labels(queries.labels)} if queries.chosen else {}


def words_header(maps: KindMaps, texts: Callable[[Kind], dict[str, object]]) -> dict[str, object]:
    """Header fields that state which positions of a kind are special, and which form whole words; None without words.

    Args:
        texts: returns further fields for the kind of whole words.
    """
    axes = maps.queries, maps.keys
    special = [axis.special_places for axis in axes]
    pair = {"segments": [axis.segments for axis in axes]} if any(axis.segments for axis in axes) else {}
    if not maps.has_words:
        return {"special": special, "grouped": None, **pair}
    words = [axis.in_words() for axis in axes]
    grouped = {
        "queries": component.labels(words[0].names),
        "keys": component.labels(words[1].names),
        **read_header(words[0]),
        "starts": [axis.starts for axis in axes],
        "special": [axis.special_places for axis in words],
        **({"segments": [axis.segments for axis in words]} if pair else {}),
        **texts(maps.kind.of_words),
    }
    return {"special": special, "grouped": grouped, **pair}
