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
    """A row for each line that is drawn, layer by layer, counted from 1, with the tokens and the weight."""
    sides = (maps.kind.queries(), maps.kind.keys()) if maps.kind.places else _token_columns()
    return downloads.table_csv(_header(sides), _rows(maps, drawn))


def lines_arrays(maps: KindMaps, drawn: np.ndarray) -> dict[str, ArrayLike]:
    """All weights, and which of them are drawn."""
    arrays: dict[str, ArrayLike] = {"attention": maps.weights, "drawn": drawn}
    names = {"query_tokens": list(maps.queries.labels), "key_tokens": list(maps.keys.labels)}
    return arrays | names | {"kind": maps.kind.name}


def maps_npz(maps: KindMaps) -> bytes:
    """All layers and heads of one kind; see `views.export.downloads.attention_npz`."""
    return downloads.attention_npz(maps.kind.name, maps.weights, maps.queries.labels, maps.keys.labels)


def all_csv(maps: AttentionMaps) -> bytes:
    """A row for each weight: kind, layer, head, query and key, counted from 1, with their tokens."""
    rows = [[name, *row] for name, each in maps.items() for row in _rows(each, np.ones(each.weights.shape, bool))]
    return downloads.table_csv([say("column.kind", "kind"), *_header(_token_columns())], rows)


def all_npz(maps: AttentionMaps) -> bytes:
    """For each kind its weights `(layer, head, query, key)` and the labels of both axes, for `numpy.load`."""
    arrays: dict[str, ArrayLike] = {}
    for name, each in maps.items():
        arrays |= {name: each.weights, f"{name}_queries": each.queries.labels, f"{name}_keys": each.keys.labels}
    return downloads.arrays_npz(arrays)


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
