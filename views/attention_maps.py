"""Attention maps of one kind: their names, the averages over heads and layers, and their colour scale.

The axes of arrays are layer, head, query, key; rows are queries, columns are keys.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from .text import literal, terms
from .text.catalogue import Message, Untranslated, say

MEAN = "mean"
Label = Callable[[], str]  # a `Message` or an `Untranslated` text
Scale = Literal["shared", "own", "log"]  # one linear scale for all maps, one for each map, one logarithmic for all
DECADES = 4  # that a logarithmic scale spans below its largest weight


@dataclass(frozen=True)
class Kind:
    """A kind of attention, such as cross-attention, and its names.

    Attributes:
        name: its id in URLs and in the model.
        in_sentence: its name within a sentence.
        brief: the same in one word.
        short: the same on a control.
        queries, keys: what the rows and the columns are, such as "English query token".
        causal: a query may only attend to itself and earlier tokens.
        axes: names of a row and of a column, in files.
        places: rows and columns are positions in a picture: their names all differ and need no number.
        in_heading: its name at the beginning of a heading; `in_sentence` if None.
    """

    name: str
    in_sentence: Label
    queries: Label
    keys: Label
    brief: Label
    short: Label
    causal: bool = False
    axes: tuple[Message, Message] = (terms.QUERY, terms.KEY)
    places: bool = False
    in_heading: Label | None = None

    @property
    def title(self) -> str:
        return self.in_sentence()

    @property
    def headline(self) -> str:
        return (self.in_heading or self.in_sentence)()

    @property
    def query_axis(self) -> str:
        return say("axis.query.whose", "Query: {whose}", whose=self.queries())

    @property
    def key_axis(self) -> str:
        return say("axis.key.whose", "Key: {whose}", whose=self.keys())

    def heading(self, place: str) -> str:
        """A heading: the kind, and what is shown of it, such as layer and head."""
        return say("kind.heading", "{kind}, {place}", kind=self.headline, place=place)

    @property
    def corner(self) -> str:
        """The header of the row names in a table or a file, left of the column names."""
        return " \\ ".join(axis() for axis in self.axes)

    def names(self, labels: Sequence[str]) -> list[str]:
        """Labels of an axis for a table, a file or a list of options: all different."""
        return list(labels) if self.places else numbered(labels)


_ENGLISH_QUERY = Message("kind.english.query", "English query token")
_ENGLISH_KEY = Message("kind.english.key", "English key token")
_FRENCH_QUERY = Message("kind.french.query", "French query token")
_FRENCH_KEY = Message("kind.french.key", "French key token")
_ROW, _COLUMN = Message("kind.patches.row", "row of patches"), Message("kind.patches.column", "column of patches")
_PATCH = Message("kind.patch", "patch")

KINDS = {
    "encoder": Kind(
        "encoder",
        Message("kind.encoder", "encoder self-attention"),
        _ENGLISH_QUERY,
        _ENGLISH_KEY,
        Message("kind.encoder.brief", "encoder"),
        Message("kind.encoder.short", "Encoder"),
        in_heading=Message("kind.encoder.heading", "Encoder self-attention"),
    ),
    "decoder": Kind(
        "decoder",
        Message("kind.decoder", "masked decoder self-attention"),
        _FRENCH_QUERY,
        _FRENCH_KEY,
        Message("kind.decoder.brief", "decoder"),
        Message("kind.decoder.short", "Decoder"),
        causal=True,
        in_heading=Message("kind.decoder.heading", "Masked decoder self-attention"),
    ),
    "cross": Kind(
        "cross",
        Message("kind.cross", "cross-attention"),
        _FRENCH_QUERY,
        _ENGLISH_KEY,
        Message("kind.cross.brief", "cross"),
        Message("kind.cross.short", "Cross"),
        in_heading=Message("kind.cross.heading", "Cross-attention"),
    ),
}
ALIGNMENTS = {  # cross-attention of recurrent networks, by its score
    "additive": replace(
        KINDS["cross"],
        in_sentence=Message("kind.alignment.additive", "alignment by the additive score"),
        in_heading=Message("kind.alignment.additive.heading", "Alignment by the additive score"),
    ),
    "dot": replace(
        KINDS["cross"],
        in_sentence=Message("kind.alignment.dot", "alignment by dot products"),
        in_heading=Message("kind.alignment.dot.heading", "Alignment by dot products"),
    ),
}
ANY_TOKENS = Message("kind.any.query", "query token"), Message("kind.any.key", "key token")
ANY_WORDS = Message("kind.any.query.word", "query word"), Message("kind.any.key.word", "key word")
_ANY = Message("kind.given", "attention")
ANY_ATTENTION = Kind("encoder", _ANY, *ANY_TOKENS, _ANY, _ANY, in_heading=Message("kind.given.heading", "Attention"))
_WORDS: dict[Label, Message] = {
    _ENGLISH_QUERY: Message("kind.english.query.word", "English query word"),
    _ENGLISH_KEY: Message("kind.english.key.word", "English key word"),
    _FRENCH_QUERY: Message("kind.french.query.word", "French query word"),
    _FRENCH_KEY: Message("kind.french.key.word", "French key word"),
}
# The same kinds for whole words.
WORD_KINDS = {name: replace(kind, queries=_WORDS[kind.queries], keys=_WORDS[kind.keys]) for name, kind in KINDS.items()}

VISION = Kind(
    "vision",
    Message("kind.vision", "ViT self-attention"),
    Message("kind.vision.query", "query position"),
    Message("kind.vision.key", "key position"),
    Message("kind.vision.brief", "vision"),
    Message("kind.vision.short", "Vision"),
    places=True,
)
GRID = replace(VISION, queries=_ROW, keys=_COLUMN, axes=(_ROW, _COLUMN))
PATCHES = replace(
    VISION,
    in_sentence=Message("kind.patches", "similarity of position vectors"),
    queries=_PATCH,
    keys=_PATCH,
    axes=(_PATCH, _PATCH),
    in_heading=Message("kind.patches.heading", "Similarity of position vectors"),
)
CLS = "CLS"
ROW_AND_COLUMN = Message("patch.place", "row {row}, column {column}")
LAYER_AND_HEAD = Message("map.one", "layer {layer}, head {head}")
_OF_HEADS = Message("kind.of-heads", "{kind}, layers with {heads} heads")
OVER_HEADS = Message("map.mean.heads", "layer {layer}, mean over heads")
OVER_LAYERS = Message("map.mean.layers", "head {head}, mean over layers")
OVER_ALL = Message("map.mean.all", "mean over all layers and heads")


def find_kind(name: str) -> Kind | None:
    """The kind with this id, or the part of one in layers of so many heads; None if it is none of this project's."""
    whole, _, rest = name.partition("-")
    kind = VISION if whole == VISION.name else KINDS.get(whole)
    if kind is None or not rest:
        return kind
    match = re.fullmatch(r"([1-9]\d{0,3})-heads", rest)
    return None if match is None else _with_heads(kind, name, match[1])


def _with_heads(kind: Kind, name: str, heads: str) -> Kind:
    """The part of a kind in layers of so many heads, of a network whose layers differ in their number of heads."""

    def label(whole: Label) -> Label:
        return partial(_OF_HEADS, kind=whole(), heads=heads)

    heading = label(kind.in_heading or kind.in_sentence)
    sentence, brief, short = label(kind.in_sentence), label(kind.brief), label(kind.short)
    return replace(kind, name=name, in_sentence=sentence, in_heading=heading, brief=brief, short=short)


def kind_named(name: str) -> Kind:
    """The kind with this id; one whose id is its only name if it is none of this project's."""
    label = Untranslated(name)
    return find_kind(name) or Kind(name, label, label, label, label, label)


def with_means(attention: np.ndarray) -> np.ndarray:
    """`(layers, heads, query, key)` with the average over layers as a last layer and that over heads as a last head.

    Returns:
        `(layers + 1, heads + 1, query, key)` float32; `[-1, -1]` averages everything.
    """
    over_heads = attention.mean(axis=1, keepdims=True, dtype=np.float32)  # (layers, 1, query, key)
    wide = np.concatenate([attention.astype(np.float32, copy=False), over_heads], axis=1)
    over_layers = wide.mean(axis=0, keepdims=True, dtype=np.float32)  # (1, heads + 1, query, key)
    return np.concatenate([wide, over_layers], axis=0)


def single_map(attention: np.ndarray, layer: int, head: int) -> np.ndarray:
    """`with_means(attention)[layer, head]`, `(query, key)` float32, without computing the other maps."""
    layers = attention if layer == attention.shape[0] else attention[layer][None]
    both = layers if head == attention.shape[1] else layers[:, head][:, None]
    return both.mean(axis=(0, 1), dtype=np.float32)


def shade(weights: np.ndarray, top: float, log: bool = False) -> np.ndarray:
    """Positions of weights on a colour scale that ends at `top`: 0 at its first colour, 1 at its last; same shape.

    On a logarithmic scale equal factors are equal distances, and everything below `top / 10 ** DECADES` is 0.
    """
    share = np.clip(weights / (top or 1), 0, 1)
    if not log:
        return share
    return np.clip(1 + np.log10(np.maximum(share, 10.0**-DECADES)) / DECADES, 0, 1)


def largest_of_blocks(weights: np.ndarray, block: int) -> np.ndarray:
    """The largest of each `block` x `block` cells of `(..., query, key)`; the last blocks may hold fewer."""
    for axis in (-2, -1):  # rows first, which are contiguous: that leaves fewer cells for the columns
        blocks = np.moveaxis(weights, axis, 0)
        largest = blocks[::block].copy()
        for offset in range(1, block):
            part = blocks[offset::block]
            np.maximum(largest[: len(part)], part, out=largest[: len(part)])
        weights = np.moveaxis(largest, 0, axis)
    return np.ascontiguousarray(weights)


def strongest_keys(attention: np.ndarray, mass: float) -> np.ndarray:
    """Of each query and head the fewest keys, largest weights first, whose sum is at least `mass` of the query's.

    Bool of the same shape as `attention`, `(..., key)`; the same rule as in `attention_lines/weights.ts`.
    """
    order = np.argsort(-attention, axis=-1, kind="stable")
    ordered = np.take_along_axis(attention, order, axis=-1).astype(np.float64)
    before = np.cumsum(ordered, axis=-1) - ordered  # the sum of stronger keys
    threshold = mass * ordered.sum(axis=-1, keepdims=True) - 1e-6  # weights have about seven digits
    selected = np.zeros(attention.shape, dtype=bool)
    np.put_along_axis(selected, order, (before < threshold) & (ordered > 0), axis=-1)
    return selected


def ids_with_mean(numbers: int | Sequence[int]) -> list[str]:
    """Ids of layers or heads and of their mean: `["1", "2", ..., "mean"]`.

    Args:
        numbers: how many they are, or their numbers, from 0.
    """
    return [*(str(number + 1) for number in (range(numbers) if isinstance(numbers, int) else numbers)), MEAN]


def join_ids(ids: Iterable[Sequence[str]]) -> list[str]:
    """All ids of layers, or of heads, that occur in some kind of attention, in order; kinds may be in other layers."""
    joined = {id for each in ids for id in each}
    return [*sorted(joined - {MEAN}, key=int), *(joined & {MEAN})]


def option_labels(names: Sequence[str]) -> dict[str, str]:
    """Id -> label on a control, for ids of layers or heads."""
    return {name: terms.MEAN() if name == MEAN else name for name in names}


def describe(layer: str, head: str) -> str:
    """Name the map of a layer and a head."""
    if layer == MEAN and head == MEAN:
        return OVER_ALL()
    if head == MEAN:
        return OVER_HEADS(layer=layer)
    if layer == MEAN:
        return OVER_LAYERS(head=head)
    return LAYER_AND_HEAD(layer=layer, head=head)


def causal_mask(queries: int, keys: int, causal: bool) -> np.ndarray:
    """`(query, key)` bool: True where the causal mask hides the key from the query."""
    return np.triu(np.full((queries, keys), causal), k=1)


def patch_names(grid: tuple[int, int]) -> tuple[str, ...]:
    """Labels of the patches of a picture on an axis: `row 1, column 1`, row by row."""
    return tuple(patch_name(row, column) for row, column in np.ndindex(*grid))


def patch_name(row: int, column: int) -> str:
    """The label of the patch in this row and column, which count from 0: `row 1, column 1` is the first."""
    return ROW_AND_COLUMN(row=row + 1, column=column + 1)


def grid_names(grid: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of the rows and of the columns of patches: `row 1` and `column 1` are the first."""
    rows, columns = grid
    return (
        tuple(say("patch.row", "row {row}", row=row + 1) for row in range(rows)),
        tuple(say("patch.column", "column {column}", column=column + 1) for column in range(columns)),
    )


def numbered(labels: Sequence[str]) -> list[str]:
    """Labels that are all different and never start a spreadsheet formula: `1 I`, `2 want`."""
    return [f"{index + 1} {literal.token(label)}" for index, label in enumerate(labels)]


def token_options(labels: Sequence[str]) -> dict[str, Untranslated]:
    """Options of a choice among tokens: their positions from 1, each labelled as by `numbered`."""
    return {str(position): Untranslated(label) for position, label in enumerate(numbered(labels), 1)}
