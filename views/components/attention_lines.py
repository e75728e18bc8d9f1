"""Attention as lines from query tokens to key tokens, one colour a head, drawn and read out in the browser.

The payload contains the weights of all layers and heads; of a causal kind only the
cells that are not masked. The selection is in a mark next to the lines, so that it does not change the payload. The
payload may contain all kinds of a sentence; then the user chooses among them here, and the browser joins words and
hides special tokens, as in `attention_kinds`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from .. import kind_labels, map_labels, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..text.catalogue import Message, say
from ..viewer.attention_maps import AttentionMaps, KindMaps
from ..viewer.payload import EXACT_BYTES, Dtype, SentArray, dtype_of, pack
from . import component, controls, html_export
from .attention_grid import positions_of
from .attention_kinds import read_header, words_header

FULL_PRECISION_BYTES = 1 << 18  # of the weights of one kind that are sent with every digit
_LIST = r"((?:\d{1,3}(?:\.\d{1,3})*)?)"
_ADDRESS = re.compile(rf"{_LIST}-{_LIST}-(\d{{1,3}})(?:-([qk]\d{{1,4}}))?", re.ASCII)

WORDS = controls.WORDS | {
    "sense": Message("lines.sense", "attends to \u2192"),
    "side": Message("lines.side", "{axis}. Arrow keys move, Enter locks."),
    "locked": Message("lines.locked", "Locked: {what}"),
    "unlock": Message("lines.unlock", "Unlock"),
    "unlocked": Message("lines.unlocked", "Unlocked."),
    "heads": Message("lines.heads", "Heads"),
    "layers": Message("lines.layers", "Layers"),
    "head": Message("lines.head", "Head {number}"),
    "layer": Message("lines.layer", "Layer {number}"),
    "single": Message("lines.single", "one at a time"),
    "all": Message("lines.all", "all"),
    "none": Message("lines.none", "none"),
    "tall": Message("lines.tall", "Tall rows"),
    "svg": Message("lines.svg", "Picture as SVG"),
    "png": Message("lines.png", "PNG"),
    "svgFile": Message("lines.file.svg", "{kind} lines.svg"),
    "pngFile": Message("lines.file.png", "{kind} lines.png"),
    "mass": Message("lines.mass", "Drawn for each query and head: the largest weights that add up to {share} %"),
    "table": Message("lines.table", "Weights of the locked token as a table"),
    "noneLocked": Message(
        "lines.locked.none",
        "No token is locked: click one, or move to it with Tab and the arrow keys and press Enter.",
    ),
    "queryTable": Message("lines.table.query", "{token} attends to"),
    "keyTable": Message("lines.table.key", "{token} is attended to by"),
    "token": terms.TOKEN,
    "cell": map_labels.ATTENDS,
    "mean": terms.MEAN,
    "masked": terms.MASKED,
    "one": map_labels.LAYER_AND_HEAD,
    "chip": Message("lines.chip", "head {head}"),
    "drawn": Message("lines.drawn", "{kind}, layers {layers}; the largest weights that add up to {share} %"),
    "drawnNone": Message("lines.drawn.none", "{kind}, no layers; the largest weights that add up to {share} %"),
    "meanIs": Message("lines.mean", "mean {weight}"),
    "more": Message("lines.more", "{count} more in the table below"),
    "noneChosen": Message("lines.chosen.none", "Nothing is chosen: choose at least one head and one layer."),
    "point": Message("lines.point", "Point at a token to see its lines alone; click or press Enter to lock them."),
    "attends": Message("lines.attends", "{token} ({place}) attends to: {list} ({meaning})"),
    "attended": Message("lines.attended", "{token} ({place}) is attended to by: {list} ({meaning})"),
    "meanOf": Message("lines.mean.of", "mean of {count} {count:head|heads}"),
    "strongestLines": Message(
        "lines.legend.strongest",
        "Drawn: the strongest {count} of {all} lines. A thicker line is a larger weight. Next to a token: one cell for "
        "each chosen head, layer by layer, fuller for a larger weight, and their mean.",
    ),
    "allLines": Message(
        "lines.legend",
        "Lines drawn: {all}. A thicker line is a larger weight. Next to a token: one cell for each chosen head, layer "
        "by layer, fuller for a larger weight, and their mean.",
    ),
}

_MOUNT = component.Component("attention_lines", "lines-root")


@dataclass(frozen=True)
class LockedToken:
    """The token whose lines are locked: its side, and its index on that side."""

    side: Literal["query", "key"]
    place: int


@dataclass(frozen=True)
class LinesView:
    """Which lines the user chose to see."""

    # `layers`, `heads`: numbers from 0, in order; lines of every chosen head of every chosen layer are drawn
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    # of each query and head the fewest keys are drawn that together hold this share of its weights, 0.05 to 1
    mass: float = 0.7
    locked: LockedToken | None = None  # the token whose lines are locked, if any


@dataclass(frozen=True)
class AttentionLines:
    """Maps of one kind as lines, and which of them are drawn."""

    maps: KindMaps
    view: LinesView


@dataclass(frozen=True)
class LinesOfKinds:
    """Lines of every kind of one input, among which the browser chooses."""

    maps: AttentionMaps  # of tokens; the browser makes those of whole words
    # `choices`, `chosen`: some of "kind", "units" and "marks", and the selected option of each
    choices: Sequence[Choice]
    chosen: Mapping[str, str]
    view: LinesView  # the view of the selected kind


def payload(lines: AttentionLines, theme: palette.Theme, dtype: Dtype | None = None) -> bytes:
    """The bytes that `attention_lines.ts` reads; see the module.

    Args:
        dtype: of the weights; by default float32 up to `FULL_PRECISION_BYTES` of what is sent, else float24.
    """
    weights = SentArray(lines.maps.weights, causal=lines.maps.kind.causal and lines.maps.is_square)
    dtype = dtype or dtype_of(weights, rounded="float24", exact_bytes=FULL_PRECISION_BYTES)
    header = _shared_header([lines.maps], theme) | {"kinds": {"": _lines_header(lines.maps)}}
    return pack(header, {"": replace(weights, dtype=dtype)})


def payload_of_kinds(lines_by_kind: LinesOfKinds, theme: palette.Theme, dtype: Dtype | None = None) -> bytes:
    """The payload of several kinds; by default float32 up to `EXACT_BYTES` for all kinds together, else float24."""
    own_dtype: Dtype = dtype or ("float32" if _bytes(lines_by_kind.maps.values()) <= EXACT_BYTES else "float24")
    kinds = {name: _lines_header(maps) | words_header(maps, _axis_header) for name, maps in lines_by_kind.maps.items()}
    weights = {
        name: SentArray(maps.weights, own_dtype, causal=maps.kind.causal) for name, maps in lines_by_kind.maps.items()
    }
    header = {"kinds": kinds, "controls": controls.control_specs(lines_by_kind.choices)}
    return pack(_shared_header(lines_by_kind.maps.values(), theme) | header, weights)


def _shared_header(by_kind: Iterable[KindMaps], theme: palette.Theme) -> dict[str, object]:
    heads = max(maps.weights.shape[1] for maps in by_kind)
    styles = {theme: [palette.head_style(head, theme) for head in range(heads)] for theme in ("light", "dark")}
    return {"words": component.translated(WORDS), "theme": theme, "styles": styles}


def _lines_header(maps: KindMaps) -> dict[str, object]:
    """Header fields of the lines of one kind."""
    return {
        "numbers": [number + 1 for number in maps.layer_numbers],
        "queries": component.labels(maps.queries.names),
        "keys": component.labels(maps.keys.names),
        "positions": positions_of(maps),
        **read_header(maps.queries),
        **_axis_header(maps.kind),
    }


def _bytes(by_kind: Iterable[KindMaps]) -> int:
    return sum(maps.weights.nbytes for maps in by_kind)


def _file_dtype(by_kind: Iterable[KindMaps]) -> Dtype:
    """The precision in files: every digit of more weights than a page has, else half precision.

    Masked cells count, so that a causal kind takes half of what another one of this size does.
    """
    return "float32" if _bytes(by_kind) <= html_export.EXACT_BYTES else "float16"


def _axis_header(kind: kind_labels.Kind) -> dict[str, object]:
    named = {"queryAxis": kind.query_axis, "keyAxis": kind.key_axis, "title": kind.title}
    return named | {"causal": kind.causal, "languages": kind.languages}


def attention_lines(lines: AttentionLines, key: str, on_change: Callable[[LinesView], None]) -> None:
    """Mount the lines; `on_change` gets the view, half a second after the user last changed it."""
    handler = partial(valid_view, shape=lines.maps.weights.shape), on_change
    _MOUNT(key, payload(lines, sentence_input.theme()), lines.view, view=handler)


def lines_of_kinds(
    lines_by_kind: LinesOfKinds,
    key: str,
    on_choose: Callable[[Mapping[str, str]], None],
    on_change: Callable[[LinesView], None],
) -> None:
    """Mount the lines of several kinds; `on_choose` gets the selected options and `on_change` the view."""

    def forward(answer: tuple[dict[str, str], LinesView]) -> None:
        selection, view = answer
        on_choose(selection)
        on_change(view)

    handler = partial(valid_choice, lines_by_kind=lines_by_kind), forward
    _MOUNT(
        key,
        payload_of_kinds(lines_by_kind, sentence_input.theme()),
        {**lines_by_kind.chosen, "view": lines_by_kind.view},
        chosen=handler,
    )


def valid_choice(sent: object, lines_by_kind: LinesOfKinds) -> tuple[dict[str, str], LinesView] | None:
    """The selected options and the view that a browser sent; None if they are invalid."""
    if not isinstance(sent, dict):
        return None
    selection = controls.valid_selection(
        {name: value for name, value in sent.items() if name != "view"}, lines_by_kind.choices
    )
    if selection is None:
        return None
    # of as many tokens as words, or more
    maps = lines_by_kind.maps[selection.get("kind", next(iter(lines_by_kind.maps)))]
    view = valid_view(sent.get("view"), maps.weights.shape)
    return None if view is None else (selection, view)


def snapshot(lines: AttentionLines) -> html_export.ComponentSnapshot:
    """The lines for an HTML file or a notebook."""
    dtype = _file_dtype([lines.maps])
    return _as_snapshot(payload(lines, "light", dtype), lines.view, dtype)  # the browser uses its own theme


def snapshot_of_kinds(lines_by_kind: LinesOfKinds) -> html_export.ComponentSnapshot:
    """The lines of several kinds, with their controls, for a notebook."""
    dtype = _file_dtype(lines_by_kind.maps.values())
    chosen = {**lines_by_kind.chosen, "view": lines_by_kind.view}
    return _as_snapshot(payload_of_kinds(lines_by_kind, "light", dtype), chosen, dtype)


def _as_snapshot(content: bytes, chosen: object, dtype: Dtype) -> html_export.ComponentSnapshot:
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    numbers = html_export.EXACT() if dtype == "float32" else rounded
    return html_export.ComponentSnapshot("attention_lines", "lines-root", content, chosen, numbers)


def valid_view(sent: object, shape: tuple[int, ...]) -> LinesView | None:
    """The view that a browser sent or a URL contains, for attention of `shape`; None if it is invalid."""
    if not isinstance(sent, dict):
        return None
    layers, heads = _numbers(sent.get("layers"), shape[0]), _numbers(sent.get("heads"), shape[1])
    mass, locked = sent.get("mass"), sent.get("locked")
    if layers is None or heads is None or isinstance(mass, bool) or not isinstance(mass, int | float):
        return None
    if not 0.05 <= mass <= 1:
        return None
    if locked is None:
        return LinesView(layers, heads, float(mass))
    if not isinstance(locked, dict) or locked.get("side") not in ("query", "key"):
        return None
    count = shape[2] if locked["side"] == "query" else shape[3]
    if not component.is_index(locked.get("place"), count):
        return None
    return LinesView(layers, heads, float(mass), LockedToken(locked["side"], locked["place"]))


def numbered_queries(maps: KindMaps) -> list[int]:
    """The queries in the order of their numbers in addresses.

    Where special tokens are hidden, those that stay have the last numbers: earlier versions did not show them, and
    their addresses lock the same token.
    """
    last = maps.queries.kept if maps.special_hidden else ()
    return [*(place for place in range(len(maps.queries)) if place not in last), *last]


def to_address(view: LinesView, queries: Sequence[int] = ()) -> str:
    """The view as one word for the URL, counted from 1: `1.2-1.2.3-70-q5`.

    Args:
        queries: see `numbered_queries`; by default their own order.
    """
    layers, heads = (".".join(str(number + 1) for number in numbers) for numbers in (view.layers, view.heads))
    locked = ""
    if view.locked:
        side, place = view.locked.side, view.locked.place
        locked = f"-{side[0]}{(queries.index(place) if queries and side == 'query' else place) + 1}"
    return f"{layers}-{heads}-{round(100 * view.mass)}{locked}"


def from_address(text: object, shape: tuple[int, ...], queries: Sequence[int] = ()) -> LinesView | None:
    """The view that `to_address` wrote, for attention of `shape`; None for anything else."""
    match = _ADDRESS.fullmatch(text) if isinstance(text, str) and len(text) < 1000 else None
    if match is None:
        return None
    layers, heads = ([int(number) - 1 for number in match[n].split(".") if number] for n in (1, 2))
    locked = match[4]
    token = None if locked is None else {"side": "query" if locked[0] == "q" else "key", "place": int(locked[1:]) - 1}
    sent = {"layers": layers, "heads": heads, "mass": int(match[3]) / 100, "locked": token}
    view = valid_view(sent, shape)
    if view is None or view.locked is None or view.locked.side == "key" or not queries:
        return view
    return replace(view, locked=LockedToken("query", queries[view.locked.place]))


def _numbers(sent: object, count: int) -> tuple[int, ...] | None:
    """Numbers below `count`, each once and in order; None if anything else is among them."""
    if not isinstance(sent, (list, tuple)) or len(sent) > count:
        return None
    return tuple(sorted(set(sent))) if all(component.is_index(number, count) for number in sent) else None
