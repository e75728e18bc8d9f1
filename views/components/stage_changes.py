"""What pulls change on the stage: the rows of weights and the places that differ from the translation without pulls.

A pull in the last layer changes one row and what follows it; the rest of the maps is in the browser already.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..viewer.attention_maps import AttentionMaps
from ..viewer.payload import SentArray, float32_numbers, pack, round_to_levels
from . import component

# To how many levels weights are rounded: fewer if more would make the message too large. Of a multiple of 2000 three
# decimals are right, of 200 two.
LEVELS = (4000, 2000, 200)
MOST_BYTES = 75_000  # of a sentence, where 200 levels are enough for that
MOST_CHANGED = 22_000  # of the changes; they are sent as base64, which is a third longer


@dataclass(frozen=True)
class PlaceChances:
    """The token that was chosen at a place, its probability, and the most probable tokens with theirs."""

    token: str
    probability: float
    top: Sequence[tuple[str, float]]
    # the probability with which sampling draws each of `top`, where it is not the model's own
    draws: Sequence[float] = ()

    def sent(self) -> list[float | str]:
        """As the browser reads it: the probability, then label and probability of each candidate."""
        names, probabilities = zip(*self.top, strict=True)
        pairs = zip(component.labels(names), float32_numbers(probabilities), strict=True)
        return [*float32_numbers([self.probability]), *(value for pair in pairs for value in pair)]

    def sent_draws(self) -> list[float]:
        """The probabilities of the draw as the browser reads them."""
        return float32_numbers(self.draws)


@dataclass(frozen=True, eq=False)
class PulledStage:
    """The pulls under which the stage is drawn; fields are texts for the user unless noted."""

    # `maps`, `places`: under the pulls
    maps: AttentionMaps
    places: Sequence[PlaceChances]
    # `query`, `key`, `kind`: of the last pull, from 0
    query: int
    key: int
    kind: str
    # `before`, `now`: the translations
    before: str
    now: str
    lines: Sequence[str]  # the last pull, and the loss
    # probabilities of the candidates at the pulled place before; empty where there was no such place
    former: Sequence[float]
    forced: str  # that the weights are the user's
    count: int  # number of pulls


def name_of(maps: AttentionMaps, text: str) -> int:
    """A name of a translation, by which changes state what they belong to."""
    return zlib.crc32("\n".join([*maps["cross"].keys.labels, *maps["cross"].queries.labels, text]).encode())


def decimals_of(levels: int) -> int:
    """How many decimals of a weight are right after it was rounded to levels."""
    return 2 if levels % 2000 else 3


def pack_maps(header: Mapping[str, object], maps: AttentionMaps) -> bytes:
    """Pack a payload with the weights of all kinds, in as many levels as fit into `MOST_BYTES`."""
    return pack_levels(header, {name: (own.weights, own.kind.causal) for name, own in maps.items()}, MOST_BYTES)


def pack_levels(header: Mapping[str, object], weights: Mapping[str, tuple[np.ndarray, bool]], most: int) -> bytes:
    """Pack a payload with weights in as many levels as fit into `most` bytes.

    Args:
        weights: by name, each `(..., query, key)` and whether keys behind the query are masked.
    """
    for levels in LEVELS:
        arrays = {name: SentArray(values, "levels", causal, levels) for name, (values, causal) in weights.items()}
        packed = pack({**header, "decimals": decimals_of(levels)}, arrays)
        if len(packed) <= most:
            break
    return packed


def pack_changes(maps: AttentionMaps, places: Sequence[PlaceChances], text: str, pulled: PulledStage) -> bytes:
    """Pack what differs under pulls from the maps, places and text without them."""
    former, now = ([place.sent() for place in each] for each in (places, pulled.places))
    header = {
        "of": name_of(maps, text),
        "french": component.labels(place.token for place in pulled.places),
        "places": {index: place for index, place in enumerate(now) if former[index : index + 1] != [place]},
        "pulled": {name: value for name, value in vars(pulled).items() if name not in ("maps", "places")},
    }
    rows = {name: _changed_rows(maps[name].weights, own.weights) for name, own in pulled.maps.items()}
    marks = {f"rows-{name}": changed for name, changed in rows.items()}
    values = {name: _weights_of(own.weights, rows[name], own.kind.causal) for name, own in pulled.maps.items()}
    for levels in LEVELS:
        arrays = {name: SentArray(weights, "levels", levels=levels) for name, weights in values.items()}
        packed = pack({**header, "decimals": decimals_of(levels)}, {**marks, **arrays})
        if len(packed) <= MOST_CHANGED:
            break
    return packed


def _changed_rows(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Which rows differ in any head. Shapes (layer, head, query, key); return: (layer, query)."""
    rows, keys = min(before.shape[2], after.shape[2]), min(before.shape[3], after.shape[3])
    changed = np.ones((after.shape[0], after.shape[2]), np.bool_)
    one, other = (round_to_levels(each[:, :, :rows, :keys], LEVELS[0]) for each in (before, after))
    changed[:, :rows] = (one != other).any((1, 3))
    return changed


def _weights_of(weights: np.ndarray, rows: np.ndarray, causal: bool) -> np.ndarray:
    """The weights of some rows, one after another: all heads of a row, of each the keys that are not masked."""
    layers, queries = np.nonzero(rows)
    chosen = weights[layers, :, queries]  # (row, head, key)
    if not causal:
        return chosen.reshape(-1)
    visible = np.arange(weights.shape[3]) <= queries[:, None]  # (row, key)
    return chosen[np.broadcast_to(visible[:, None], chosen.shape)]
