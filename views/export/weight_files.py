"""Write attention weights with their tokens as CSV and NPZ."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..map_weights import strongest_keys
from ..text import literal, terms
from ..text.catalogue import say
from ..viewer.attention_maps import AttentionMaps, KindMaps
from . import downloads


def drawn_lines(maps: KindMaps, layers: Sequence[int], heads: Sequence[int], mass: float) -> np.ndarray:
    """`(layer, head, query, key)` bool: the fewest keys that hold `mass` of each query, in some layers and heads."""
    drawn = np.zeros(maps.weights.shape, dtype=bool)
    places = np.ix_(layers, heads)
    drawn[places] = strongest_keys(maps.weights[places], mass)
    return drawn


def lines_csv(maps: KindMaps, drawn: np.ndarray) -> bytes:
    """A row for each line that is drawn, layer by layer, counted from 1, with the tokens and the weight.

    Where a decoder chose tokens, a last column has the one that was chosen at the query.
    """
    sides = (maps.kind.queries(), maps.kind.keys()) if maps.kind.places else _token_columns()
    return downloads.table_csv(*downloads.with_chosen(_header(sides), _rows(maps, drawn), _chosen(maps, drawn)))


def lines_arrays(maps: KindMaps, drawn: np.ndarray) -> dict[str, ArrayLike]:
    """All weights, and which of them are drawn."""
    arrays: dict[str, ArrayLike] = {"attention": maps.weights, "drawn": drawn}
    names = {"query_tokens": list(maps.queries.labels), "key_tokens": list(maps.keys.labels)}
    names |= {"chosen": list(maps.queries.chosen)} if maps.queries.chosen else {}
    return arrays | names | {"kind": maps.kind.name}


def maps_npz(maps: KindMaps) -> bytes:
    """All layers and heads of one kind; see `views.export.downloads.attention_npz`."""
    queries, keys = maps.queries, maps.keys
    return downloads.attention_npz(maps.kind.name, maps.weights, queries.labels, keys.labels, queries.chosen)


def all_csv(maps: AttentionMaps) -> bytes:
    """A row for each weight: kind, layer, head, query and key, counted from 1, with their tokens.

    Where a decoder chose tokens, a last column has the one that was chosen at the query.
    """
    cells = {name: np.ones(each.weights.shape, dtype=bool) for name, each in maps.items()}
    rows = [[name, *row] for name, each in maps.items() for row in _rows(each, cells[name])]
    chosen = [label for name, each in maps.items() for label in _chosen(each, cells[name]) or [""] * each.weights.size]
    header = [say("column.kind", "kind"), *_header(_token_columns())]
    return downloads.table_csv(*downloads.with_chosen(header, rows, chosen if any(chosen) else ()))


def all_npz(maps: AttentionMaps) -> bytes:
    """For each kind its weights `(layer, head, query, key)` and the labels of both axes, for `numpy.load`.

    `<kind>_chosen` has the tokens that a decoder chose at the queries.
    """
    arrays: dict[str, ArrayLike] = {}
    for name, each in maps.items():
        arrays |= {name: each.weights, f"{name}_queries": each.queries.labels, f"{name}_keys": each.keys.labels}
        arrays |= {f"{name}_chosen": each.queries.chosen} if each.queries.chosen else {}
    return downloads.arrays_npz(arrays)


def _chosen(maps: KindMaps, cells: np.ndarray) -> list[str]:
    """The token that was chosen at the query of each cell, in the order of `_rows`; none where none was chosen."""
    return [maps.queries.chosen[query] for query in np.argwhere(cells)[:, 2]] if maps.queries.chosen else []


def _token_columns() -> tuple[str, str]:
    return say("column.query-token", "query token"), say("column.key-token", "key token")


def _header(sides: tuple[str, str]) -> list[str]:
    places = [say("column.layer", "layer"), say("column.head", "head")]
    return [*places, terms.QUERY(), sides[0], terms.KEY(), sides[1], terms.WEIGHT()]


def _rows(maps: KindMaps, cells: np.ndarray) -> list[tuple]:
    queries, keys = ([literal.token(name) for name in axis.labels] for axis in (maps.queries, maps.keys))
    numbers = [number + 1 for number in maps.layer_numbers]
    return [
        (numbers[layer], head + 1, query + 1, queries[query], key + 1, keys[key], weight)
        for (layer, head, query, key), weight in zip(
            np.argwhere(cells).tolist(), maps.weights[cells].tolist(), strict=True
        )
    ]
