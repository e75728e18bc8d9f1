"""Two attention maps and their difference, for a page, and as a picture for a paper or a slide.

The difference is the second map minus the first: orange where a query attends less to a key than before, blue where
it attends more, the background where nothing changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from .. import palette
from ..kind_labels import Kind
from ..map_labels import describe, row_names
from ..text import literal
from ..text.catalogue import say
from ..viewer.attention_maps import KindMaps, Place
from .downloads import with_chosen
from .drawing import Drawing
from .matrix_image import MatrixPanel, scale_ends, shades, side_by_side

Shared = tuple[tuple[int, ...], tuple[int, ...]]
Allowed = Callable[[int, int], np.ndarray]


@dataclass(frozen=True, eq=False)
class ComparedMap:
    """One of the maps, or their difference."""

    name: str  # its name on the page
    weights: np.ndarray  # `(query, key)` float32
    # `queries`, `keys`: tokens on the axes, those that are read
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    hidden: np.ndarray  # `(query, key)` bool, masked cells; drawn grey
    chosen: tuple[str, ...] = ()  # the token that a decoder chose at each query; empty where it chose none

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows on screen."""
        return row_names(self.queries, self.chosen)

    def at(self, queries: tuple[int, ...], keys: tuple[int, ...]) -> "ComparedMap":
        """The rows and columns with these indices."""
        cells = np.ix_(queries, keys)
        labels = tuple(self.queries[index] for index in queries), tuple(self.keys[index] for index in keys)
        chosen = self.chosen and tuple(self.chosen[index] for index in queries)
        return ComparedMap(self.name, self.weights[cells], *labels, self.hidden[cells], chosen)


@dataclass(frozen=True, eq=False)
class MapPair:
    """Two maps to compare."""

    first: ComparedMap
    second: ComparedMap
    kind: Kind  # names the axes and decides the colour of the maps
    place: str  # which layer and head, in words
    # `queries`, `keys`: indices of the tokens that both maps share, as (indices in first, indices in second)
    queries: tuple[tuple[int, ...], tuple[int, ...]]
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    captions: tuple[str, ...] = ()  # lines that every file states, such as that weights were forced

    @property
    def top(self) -> float:
        """The weight with the deepest colour in both maps."""
        return max((float(side.weights.max()) for side in (self.first, self.second) if side.weights.size), default=1.0)

    @cached_property
    def difference(self) -> ComparedMap | None:
        """Second minus first for the shared tokens; None if no token is shared on an axis.

        Rows with the same token read are shared. Where other tokens were chosen there, the name states both.
        """
        if not (self.queries[0] and self.keys[0]):
            return None
        first, second = self.first.at(self.queries[0], self.keys[0]), self.second.at(self.queries[1], self.keys[1])
        name = say("difference.name", "{second} minus {first}", second=self.second.name, first=self.first.name)
        chosen = tuple(map(_both, first.chosen, second.chosen)) if first.chosen and second.chosen else first.chosen
        return ComparedMap(
            name, second.weights - first.weights, first.queries, first.keys, first.hidden & second.hidden, chosen
        )

    @property
    def chosen_differs(self) -> bool:
        """Whether other tokens were chosen at a shared row."""
        places = zip(*self.queries, strict=True)
        sides = self.first.chosen, self.second.chosen
        return all(sides) and any(sides[0][first] != sides[1][second] for first, second in places)

    @property
    def largest(self) -> float:
        """The largest |difference|."""
        return float(np.abs(self.difference.weights).max()) if self.difference else 0.0

    @property
    def title(self) -> str:
        """Kind, layer and head as a heading."""
        return self.kind.heading(self.place)

    def rows(self, on_screen: bool = False) -> tuple[list[str], list[list[object]]]:
        """Header and rows of a table: every pair of shared tokens with both weights and their difference.

        Args:
            on_screen: rows have their names. In a file they have the tokens read and, where a decoder chose tokens, a
                last column with the one that was chosen at the query.
        """
        header = [
            *(axis() for axis in self.kind.axes),
            self.first.name,
            self.second.name,
            say("difference", "difference"),
        ]
        difference = self.difference
        if difference is None:
            return header, []
        first, second = self.first.at(self.queries[0], self.keys[0]), self.second.at(self.queries[1], self.keys[1])
        names = dict(zip(self.queries[0], difference.rows, strict=True)) if on_screen else {}
        labels = [names.get(place, label) for place, label in enumerate(self.first.queries)]
        queries, keys = self.kind.names(labels), self.kind.names(self.first.keys)
        rows = [
            [
                queries[self.queries[0][query]],
                keys[self.keys[0][key]],
                *(float(side.weights[query, key]) for side in (first, second, difference)),
            ]
            for query, key in np.ndindex(difference.weights.shape)
        ]
        if on_screen or not difference.chosen:
            return header, rows
        return with_chosen(
            header, rows, [difference.chosen[query] for query, _ in np.ndindex(difference.weights.shape)]
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Both maps, their tokens, and the difference with the indices of the shared tokens, for `numpy.load`."""
        arrays: dict[str, np.ndarray] = {"kind": np.array(self.kind.name), "place": np.array(self.place)}
        rows, columns = ("rows", "columns") if self.kind.places else ("queries", "keys")
        for name, side in (("first", self.first), ("second", self.second)):
            arrays |= {name: side.weights, f"{name}_{rows}": np.array(side.queries)}
            arrays |= {f"{name}_{columns}": np.array(side.keys), f"{name}_name": np.array(side.name)}
            arrays |= {f"{name}_chosen": np.array(side.chosen)} if side.chosen else {}
        if self.captions:
            arrays["captions"] = np.array(self.captions)
        if self.difference is not None:
            arrays |= {"difference": self.difference.weights}
            arrays |= {f"shared_{rows}": np.array(self.queries), f"shared_{columns}": np.array(self.keys)}
        return arrays


@dataclass(frozen=True, eq=False)
class ComparedMaps:
    """The maps of one kind on two sides: of two inputs, or before and after a change."""

    # `first`, `second`: the maps, of the same layers and heads
    first: KindMaps
    second: KindMaps
    names: tuple[str, str]  # of both sides, on the page
    # `queries`, `keys`: indices of the tokens that both share, as (indices in first, indices in second); None if all
    # are
    queries: Shared | None = None
    keys: Shared | None = None
    # returns for each side which keys the queries of a layer, by its number, and a head may attend to, `(query, key)`
    # bool; None if all
    allowed: tuple[Allowed, Allowed] | None = None
    captions: tuple[str, ...] = ()  # as of `MapPair`

    @property
    def cells(self) -> int:
        """How many cells both maps and their difference have, for all layers, heads and means."""
        largest = map(max, *(maps.weights.shape for maps in (self.first, self.second)))
        layers, heads, queries, keys = largest
        return 3 * (layers + 1) * (heads + 1) * queries * keys

    def at(self, place: Place) -> MapPair:
        """The maps of a layer and a head, or their means."""
        first, second = self._side(0, self.first, place), self._side(1, self.second, place)
        rows, columns = (tuple(range(len(axis))) for axis in (self.first.queries, self.first.keys))
        shared = self.queries or (rows, rows), self.keys or (columns, columns)
        return MapPair(first, second, self.first.kind, describe(*self.first.ids(place)), *shared, self.captions)

    def _side(self, index: int, maps: KindMaps, place: Place) -> ComparedMap:
        weights = maps.mean(*place)  # (query, key)
        hidden = np.zeros(weights.shape, dtype=bool)
        if self.allowed is not None:
            counts = zip(maps.weights.shape[:2], place, strict=True)
            averaged = product(*(range(count) if at is None else (at,) for count, at in counts))
            allowed = [self.allowed[index](maps.layer_numbers[layer], head) for layer, head in averaged]
            hidden = ~np.any(allowed, axis=0) & (weights == 0)  # one-hot attention may be on a masked key
        queries, keys = maps.queries, maps.keys
        return ComparedMap(self.names[index], weights, queries.labels, keys.labels, hidden, queries.chosen)


def _both(first: str, second: str) -> str:
    """The token chosen on both sides, or those of both where they differ."""
    tokens = dict.fromkeys(literal.token(token) for token in (first, second) if token)
    return " / ".join(tokens)


def difference_picture(pair: MapPair) -> Drawing:
    """First map, second map and difference side by side, on white."""
    sides = [(pair.first, pair.kind.name, pair.top), (pair.second, pair.kind.name, pair.top)]
    if pair.difference is not None:
        sides.append((pair.difference, palette.DIFFERENCE, pair.largest))
    note = say("difference.axes", "Row: {row}. Column: {column}.", row=pair.kind.queries(), column=pair.kind.keys())
    notes = (note, *pair.captions)
    return side_by_side((difference_panel(*side) for side in sides), pair.title, notes=notes)


def difference_panel(side: ComparedMap, kind: str, top: float) -> MatrixPanel:
    """One map, or the difference if `kind` is "difference"; `top` has the deepest colour."""
    signed = kind == palette.DIFFERENCE
    scale = palette.colours(kind, "light", signed)
    low = -top if signed else 0.0
    reach = top or 1.0  # without a difference zero is in the middle of the scale, too
    colours = shades(side.weights, scale, -reach if signed else 0.0, reach, side.hidden)
    return MatrixPanel(side.name, colours, side.rows, side.keys, scale, scale_ends(low, top))
