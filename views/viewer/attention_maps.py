"""Attention of one input with its axes: what every view, file and table of it begins with.

Layers, heads, queries and keys count from 0. `views.map_labels` makes the labels for users, which count from 1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from ..kind_labels import CLS, Kind
from ..map_labels import ids_with_mean, patch_names, row_names
from ..map_weights import single_map, with_means
from ..text import literal
from ..text.catalogue import say

# The queries or the keys of maps: tokens, special tokens, whole words, and which of two texts each belongs to.


class WordSpan(Protocol):
    """A run of tokens, such as `model.text.words.Word`: `start` is the first, `end` the one after the last."""

    @property
    def text(self) -> str: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def special(self) -> bool: ...


@dataclass(frozen=True, eq=False)
class MapAxis:
    """The queries or the keys of maps.

    Raises:
        ValueError: marks, words or segments do not fit the labels.
    """

    # one for each position: the token read there, or a part of a picture. `names` has those to draw.
    labels: tuple[str, ...]
    special: tuple[bool, ...] = ()  # whether each is a special token, or CLS; none if empty
    # the whole words, in order, each position in exactly one; None where positions are no parts of words
    words: tuple[WordSpan, ...] | None = None
    segments: tuple[int, ...] = ()  # 0 or 1, the text of two that each belongs to; empty for one text
    # the token that a decoder chose at each position, "" where it chose none; empty if it chose none at all
    chosen: tuple[str, ...] = ()
    # indices of special tokens at which an ordinary one was chosen: where special tokens are hidden, they stay
    kept: tuple[int, ...] = ()
    places: tuple[int, ...] = ()  # the places of the positions in the sequence; empty where none is left out

    def __post_init__(self) -> None:
        if self.segments and len(self.segments) != len(self.labels):
            count = len(self.segments)
            raise ValueError(f"There are {count} segments for {len(self.labels)} labels; give one for each.")
        if self.special and len(self.special) != len(self.labels):
            raise ValueError(f"There are {len(self.special)} marks for {len(self.labels)} labels; give one for each.")
        if self.chosen and len(self.chosen) != len(self.labels):
            count = len(self.chosen)
            raise ValueError(f"There are {count} chosen tokens for {len(self.labels)} labels; give one for each.")
        ends = [0, *(word.end for word in self.words or ())]
        if self.words is not None and ([word.start for word in self.words] != ends[:-1] or ends[-1] != len(self)):
            raise ValueError("The words do not cover the positions one after another, each exactly once.")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """What is drawn: `labels`, with the token that was chosen, see `views.map_labels.row_name`."""
        return row_names(self.labels, self.chosen)

    @property
    def sequence(self) -> np.ndarray:
        """The places of the positions in the sequence, `(position,)`."""
        return np.array(self.places) if self.places else np.arange(len(self))

    @property
    def starts(self) -> list[int]:
        """The first position of every word, or every position where there are no words."""
        return list(range(len(self))) if self.words is None else [word.start for word in self.words]

    @property
    def special_places(self) -> list[int]:
        """The positions that are left out where special tokens are hidden."""
        return [place for place, mark in enumerate(self.special) if mark and place not in self.kept]

    @property
    def ordinary_places(self) -> list[int]:
        """The positions of all others."""
        hidden = set(self.special_places)
        return [place for place in range(len(self)) if place not in hidden]

    def in_words(self) -> "MapAxis":
        """The axis of the whole words; itself if there are none.

        At a word all tokens were chosen that were chosen at its own: the rest of it, and the first token of the next.
        """
        if self.words is None:
            return self
        segments = self.segments and tuple(self.segments[start] for start in self.starts)
        special = tuple(word.special for word in self.words)
        chosen = self.chosen and tuple(self._chosen_in(word) for word in self.words)
        kept = tuple(place for place, word in enumerate(self.words) if word.start in self.kept)
        return MapAxis(tuple(word.text for word in self.words), special, None, segments, chosen, kept)

    def _chosen_in(self, word: WordSpan) -> str:
        *rest, last = self.chosen[word.start : word.end]
        texts = [literal.as_typed(label).strip() for label in ("".join(rest), last)]
        return " ".join(filter(None, texts)) or last

    def select(self, places: Sequence[int]) -> "MapAxis":
        """Some positions, without their words."""
        marks = self.special and tuple(self.special[place] for place in places)
        segments = self.segments and tuple(self.segments[place] for place in places)
        return MapAxis(
            tuple(self.labels[place] for place in places),
            marks,
            None,
            segments,
            self.chosen and tuple(self.chosen[place] for place in places),
            tuple(new for new, place in enumerate(places) if place in self.kept),
            tuple(self.sequence[list(places)].tolist()),
        )

    def of_text(self, text: int) -> list[int]:
        """The positions of one of two texts, 0 or 1; all where there is one text."""
        return [place for place in range(len(self)) if not self.segments or self.segments[place] == text]


SPECIAL = frozenset({"<s>", "</s>", "<pad>", "<unk>", CLS})  # names that mark a position where a trace marks none
Place = tuple[int | None, int | None]  # layer and head of a map, by their indices; None averages over all


@dataclass(frozen=True, eq=False)
class KindMaps:
    """The maps of one kind of attention: every layer and head, with the axes that all of them share.

    Raises:
        ValueError: the axes or the layers do not fit the weights.
    """

    kind: Kind  # its wording and colours, and whether it is causal
    weights: np.ndarray  # `(layer, head, query, key)` float32; float16 of a long input
    # `queries`, `keys`: of the last two axes
    queries: MapAxis
    keys: MapAxis
    layer_numbers: tuple[int, ...]  # of the layers in `weights`, among all of the network
    units: Literal["tokens", "words", "positions"] = "tokens"  # what queries and keys are
    special_hidden: bool = False  # whether special tokens were left out

    def __post_init__(self) -> None:
        sizes = len(self.layer_numbers), len(self.queries), len(self.keys)
        if self.weights.ndim != 4 or (self.weights.shape[0], *self.weights.shape[2:]) != sizes:
            raise ValueError(
                f"Weights of shape {self.weights.shape} do not fit {sizes[0]} layers, {sizes[1]} queries and "
                f"{sizes[2]} keys: they must be (layer, head, query, key)."
            )

    @staticmethod
    def of_one_map(kind: Kind, weights: np.ndarray, axes: tuple[Sequence[str], Sequence[str]]) -> "KindMaps":
        """A single map `(query, key)` with the labels of its rows and of its columns."""
        queries, keys = (MapAxis(tuple(labels)) for labels in axes)
        return KindMaps(kind, weights[None, None], queries, keys, (0,))

    @property
    def has_words(self) -> bool:
        """Whether tokens of either axis form words."""
        return self.queries.words is not None or self.keys.words is not None

    @property
    def weight_count(self) -> int:
        """How many weights a view of all layers and heads with their means has."""
        layers, heads, queries, keys = self.weights.shape
        return (layers + 1) * (heads + 1) * queries * keys

    @property
    def masked(self) -> np.ndarray:
        """`(query, key)` bool: True where the causal mask hides the key from the query."""
        return (self.keys.sequence > self.queries.sequence[:, None]) & self.kind.causal

    @property
    def is_square(self) -> bool:
        """Whether queries and keys are at the same places, so that masked cells are those above the diagonal."""
        return np.array_equal(self.queries.sequence, self.keys.sequence)

    @property
    def layer_ids(self) -> list[str]:
        """Ids of the layers and of their mean: `["1", "2", ..., "mean"]`."""
        return ids_with_mean(self.layer_numbers)

    @property
    def head_ids(self) -> list[str]:
        """Ids of the heads and of their mean."""
        return ids_with_mean(self.weights.shape[1])

    def indices(self, layer: str, head: str) -> tuple[int, int]:
        """The indices of a layer and a head with these ids in `with_means()`."""
        return self.layer_ids.index(layer), self.head_ids.index(head)

    def place(self, layer: str, head: str) -> Place:
        """The layer and the head that have these ids."""
        indices, counts = self.indices(layer, head), self.weights.shape[:2]
        found = (None if index == count else index for index, count in zip(indices, counts, strict=True))
        return next(found), next(found)

    def ids(self, place: Place) -> tuple[str, str]:
        """The ids of a layer and a head."""
        layer, head = place
        return self.layer_ids[-1 if layer is None else layer], self.head_ids[-1 if head is None else head]

    def mean(self, layer: int | None = None, head: int | None = None) -> np.ndarray:
        """The map of a layer and a head, averaged over all layers or heads where None; `(query, key)` float32."""
        layers, heads = self.weights.shape[:2]
        return single_map(self.weights, layers if layer is None else layer, heads if head is None else head)

    def with_means(self) -> np.ndarray:
        """All maps, the means as a last layer and a last head, `(layers + 1, heads + 1, query, key)` float32."""
        return with_means(self.weights)

    def layers(self, numbers: Sequence[int]) -> "KindMaps":
        """Those of the layers that have these numbers among all of the network."""
        chosen = [index for index, number in enumerate(self.layer_numbers) if number in numbers]
        one_run = bool(chosen) and chosen[-1] - chosen[0] + 1 == len(chosen)
        weights = self.weights[chosen[0] : chosen[-1] + 1] if one_run else self.weights[chosen]  # a run is not copied
        return replace(self, weights=weights, layer_numbers=tuple(self.layer_numbers[index] for index in chosen))

    def in_words(self) -> "KindMaps":
        """Attention between whole words: weights summed over the tokens of a key, averaged over those of a query.

        Rows that sum to 1 still do. Maps without words are returned as they are.
        """
        if not self.has_words:
            return self
        lengths = np.diff([*self.queries.starts, len(self.queries)])[:, None]  # (query, 1)
        # one layer at a time: all of them in double precision would take four times their memory
        merged = [
            (np.add.reduceat(self._summed_keys(layer), self.queries.starts, axis=-2) / lengths).astype(np.float32)
            for layer in self.weights
        ]
        return replace(
            self,
            kind=self.kind.of_words,
            weights=np.stack(merged),
            queries=self.queries.in_words(),
            keys=self.keys.in_words(),
            units="words",
        )

    def _summed_keys(self, layer: np.ndarray) -> np.ndarray:
        return np.add.reduceat(layer.astype(np.float64), self.keys.starts, axis=-1)

    def without_special(self) -> "KindMaps":
        """Without special tokens and CLS. The remaining weights are not rescaled: the rows sum to less than 1.

        The row at which an ordinary token was chosen stays: the first word is chosen at `<s>`. Maps of special tokens
        alone are returned as they are.
        """
        queries, keys = self.queries.ordinary_places, self.keys.ordinary_places
        if not queries or not keys:
            return self
        return replace(self._select(queries, keys), special_hidden=True)

    def of_pair(self, first: int, second: int) -> "KindMaps":
        """Attention of one of two texts to one of them, 0 or 1 each; the remaining weights are not rescaled."""
        return self._select(self.queries.of_text(first), self.keys.of_text(second))

    def _select(self, queries: list[int], keys: list[int]) -> "KindMaps":
        return replace(
            self,
            weights=self.weights[:, :, queries][:, :, :, keys],
            queries=self.queries.select(queries),
            keys=self.keys.select(keys),
        )

    @property
    def hidden_share(self) -> np.ndarray:
        """Mean share of a query's attention that is on keys which were left out, `(layer, head)` float64."""
        return 1 - self.weights.sum(axis=-1, dtype=np.float64).mean(axis=-1)


@dataclass(frozen=True, eq=False)
class AttentionMaps(Mapping[str, KindMaps]):
    """Attention of one input: the maps of each kind by its name, in the order in which kinds are offered."""

    kinds: Mapping[str, KindMaps]  # the maps
    grid: tuple[int, int] | None = None  # rows and columns of patches, where positions are patches of a picture
    # `(height, width, 3)` uint8, the picture under maps of its patches; None if there is none
    picture: np.ndarray | None = None

    def __getitem__(self, name: str) -> KindMaps:
        return self.kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def has_words(self) -> bool:
        """Whether tokens of some kind form words."""
        return any(maps.has_words for maps in self.values())

    @property
    def has_pair(self) -> bool:
        """Whether positions belong to two texts."""
        return any(axis.segments for maps in self.values() for axis in (maps.queries, maps.keys))

    @property
    def longest(self) -> int:
        """The largest number of queries or keys of a kind."""
        return max(max(len(maps.queries), len(maps.keys)) for maps in self.values())

    @property
    def has_special(self) -> bool:
        """Whether there is a special token, or CLS."""
        return any(maps.queries.special_places or maps.keys.special_places for maps in self.values())

    def in_words(self) -> "AttentionMaps":
        """All kinds between whole words; see `KindMaps.in_words`."""
        return self._each(KindMaps.in_words)

    def without_special(self) -> "AttentionMaps":
        """All kinds without special tokens; see `KindMaps.without_special`."""
        return self._each(KindMaps.without_special)

    def layers(self, numbers: Sequence[int]) -> "AttentionMaps":
        """Only these layers, by their numbers in the network; kinds that have none of them are left out."""
        selected = self._each(lambda maps: maps.layers(numbers))
        return selected.select([name for name, maps in selected.items() if maps.layer_numbers])

    def mean(self) -> dict[str, np.ndarray]:
        """The mean over all layers and heads, `(query, key)` float32, by kind."""
        return {name: maps.mean() for name, maps in self.items()}

    def select(self, names: Sequence[str]) -> "AttentionMaps":
        """Only the kinds with these names."""
        return replace(self, kinds={name: self.kinds[name] for name in names})

    def _each(self, change: Callable[[KindMaps], KindMaps]) -> "AttentionMaps":
        return replace(self, kinds={name: change(maps) for name, maps in self.items()})

    @cached_property
    def weight_count(self) -> int:
        """How many weights a view of all kinds with their means has."""
        return sum(maps.weight_count for maps in self.values())


class TraceWithAttention(Protocol):
    """A trace of any network here, see `model.tracing.traced_model.AnyTrace`.

    One of a text also has `token_axes(kind)`, the tokens of queries and of keys, see `MapAxis`; one of a picture has
    `grid`, and perhaps `trailing`, the number of positions after the patches.
    """

    @property
    def records(self) -> Mapping[str, Any]: ...

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]: ...


def from_trace(trace: TraceWithAttention, kinds: Mapping[str, Kind]) -> AttentionMaps:
    """The maps of a trace; its weights are not copied.

    Args:
        kinds: those to take, by their names in `trace.records`.
    """
    grid = getattr(trace, "grid", None)
    maps = {}
    for name, kind in kinds.items():
        record = trace.records[name]
        numbers = tuple(getattr(record, "layers", range(len(record.weights))))
        axes = _axes(trace, name)
        maps[name] = KindMaps(kind, record.weights, *axes, numbers, "tokens" if grid is None else "positions")
    return AttentionMaps(maps, grid)


def _axes(trace: Any, kind: str) -> tuple[MapAxis, MapAxis]:
    grid = getattr(trace, "grid", None)
    if grid is not None:
        labels = position_labels(grid, len(trace.axes(kind)[0]), getattr(trace, "trailing", 0))
        axis = MapAxis(labels, tuple(label == CLS for label in labels))
        return axis, axis
    if hasattr(trace, "token_axes"):
        queries, keys = map(_token_axis, trace.token_axes(kind))
    else:
        queries, keys = (MapAxis(names, tuple(name.strip() in SPECIAL for name in names)) for names in trace.axes(kind))
    return queries, keys


def _token_axis(side: Any) -> MapAxis:
    optional = (getattr(side, name, ()) for name in ("segments", "chosen", "kept"))
    return MapAxis(side.labels, side.special, side.words, *optional)


def position_labels(grid: tuple[int, int], count: int, trailing: int = 0) -> tuple[str, ...]:
    """Labels of the positions of a picture: CLS and registers, the patches, and `trailing` others; `count` in all."""
    patches = patch_names(grid)
    leading = count - len(patches) - trailing
    registers = (say("models.register", "register {number}", number=number) for number in range(1, leading))
    others = (say("models.trailing", "token {number} after the patches", number=n) for n in range(1, trailing + 1))
    return (*(CLS, *registers)[:leading], *patches, *others)
