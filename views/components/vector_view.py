"""Two vectors in the plane, three or two in space, that are dragged, moved by keys or typed, and their span.

The browser draws everything that depends on them while they move; it reports their coordinates to the server, for the
URL and for the numbers below. Coordinates have three decimals, so that rank and determinant are exact in both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from .. import palette
from ..controls import sentence_input
from ..text.catalogue import Message
from ..viewer.payload import pack
from . import component

LIMIT = 20  # of a coordinate, on either side of 0
DECIMALS = 3
NAMES = "uvw"
POINT = "p"
AXES = "xyz"
TURNS = ((-180, 180), (10, 80))  # degrees around the upright axis, and from above
_MOUNT = component.Component("vector_view", "vector-view")
WORDS = {
    "vector": Message("vectors.vector", "vector"),
    "combined": Message("vectors.combined", "p as a combination"),
    "coefficient": Message("vectors.coefficient", "How much of {name}"),
    "coordinate": Message("vectors.coordinate", "{name}, coordinate {axis}"),
    "determinant": Message("vectors.determinant", "Determinant: {number}"),
    "rank": Message("vectors.rank", "Rank {rank} of {count}: the vectors span {span}."),
    "independent": Message("vectors.independent", "They are independent: a basis."),
    "pair": Message("vectors.pair", "They are independent: a basis of this plane, not of space."),
    "area": Message("vectors.area", "Area between them: {number}"),
    "zero": Message("vectors.zero", "Make the sum 0"),
    "only": Message(
        "vectors.only", "The sum is 0. The vectors are independent, so only coefficients that are all 0 do that."
    ),
    "relation": Message("vectors.relation", "The sum is 0 with coefficients that are not all 0: {numbers}."),
    "dependent": Message("vectors.dependent", "They are dependent: no basis."),
    "coordinates": Message("vectors.coordinates", "p has the coordinates {numbers} in this basis."),
    "reached": Message("vectors.reached", "p is in the span, and more than one combination gives it."),
    "missed": Message("vectors.missed", "p is not in the span; nearest to it is {nearest}, {distance} away."),
    "across": Message("vectors.across", "Dragging moves x and y"),
    "upwards": Message("vectors.upwards", "Dragging moves z"),
    "turn": Message("vectors.turn", "Turn"),
    "tilt": Message("vectors.tilt", "Tilt"),
}
SPANS = {
    "origin": Message("vectors.span.origin", "the origin alone"),
    "line": Message("vectors.span.line", "a line"),
    "plane": Message("vectors.span.plane", "a plane"),
    "whole-plane": Message("vectors.span.whole-plane", "the whole plane"),
    "space": Message("vectors.span.space", "all of space"),
}
_BY_RANK = {2: ("origin", "line", "whole-plane"), 3: ("origin", "line", "plane", "space")}


@dataclass(frozen=True)
class VectorPlacement:
    """Coordinates of the vectors: two with two numbers each in the plane, three or two with three each in space."""

    vectors: tuple[tuple[float, ...], ...]  # in the order of `NAMES`
    point: tuple[float, ...]  # the point that is a linear combination of them
    turn: tuple[int, int] = (30, 25)  # rotation of the view of space in degrees, see `TURNS`

    @property
    def dimensions(self) -> int:
        """2 in the plane, 3 in space."""
        return len(self.point)

    def to_address(self) -> str:
        """The placement for the URL: `2,1_-1,2_3,4`, in space followed by `turn`."""
        groups = (*self.vectors, self.point, *([self.turn] if self.dimensions == 3 else []))
        return "_".join(",".join(f"{number:g}" for number in group) for group in groups)


def parse(text: str, dimensions: int, count: int = 0) -> VectorPlacement | None:
    """The placement of `count` vectors (0: as many as dimensions) that `to_address` wrote; None for any other text."""
    if len(text) > 200:
        return None
    try:
        groups = [[float(number) for number in group.split(",")] for group in text.split("_")]
    except ValueError:
        return None
    turn = groups.pop() if dimensions == 3 else [30.0, 25.0]
    if len(groups) != (count or dimensions) + 1 or not all(number.is_integer() for number in turn):
        return None
    sent = {"vectors": groups[:-1], "point": groups[-1], "turn": list(map(int, turn))}
    return valid_placement(sent, dimensions, count)


def valid_placement(sent: object, dimensions: int, count: int = 0) -> VectorPlacement | None:
    """The placement of `count` vectors (0: as many as dimensions) that a browser sent; None if it is invalid."""
    if not isinstance(sent, dict) or set(sent) != {"vectors", "point", "turn"}:
        return None
    vectors, point, turn = sent["vectors"], sent["point"], sent["turn"]
    if not isinstance(vectors, list | tuple) or len(vectors) != (count or dimensions):
        return None
    if not all(_is_row(row, dimensions) for row in (*vectors, point)):
        return None
    if not isinstance(turn, list | tuple) or len(turn) != 2:
        return None
    if not all(type(angle) is int and low <= angle <= high for angle, (low, high) in zip(turn, TURNS, strict=True)):
        return None
    rows = [tuple(round(float(number), DECIMALS) + 0.0 for number in row) for row in (*vectors, point)]
    return VectorPlacement(tuple(rows[:-1]), rows[-1], (turn[0], turn[1]))


def _is_row(row: object, dimensions: int) -> bool:
    if not isinstance(row, list | tuple) or len(row) != dimensions:
        return False
    return all(type(number) in (int, float) and abs(number) <= LIMIT for number in row)  # False for NaN


def payload(dimensions: int, label: str, theme: palette.Theme, count: int = 0) -> bytes:
    """The bytes that `web/src/views/vector_view.ts` reads; `label` names the drawing, `count` is as for `parse`."""
    count = count or dimensions
    header = {
        "dimensions": dimensions,
        "label": label,
        "names": [*NAMES[:count], POINT],
        "axes": list(AXES[:dimensions]),
        "hues": [palette.HUES[kind] for kind in ("encoder", "decoder", "cross")][:count],
        "spans": [SPANS[id]() for id in _BY_RANK[dimensions][: count + 1]],
        "limit": LIMIT,
        "turns": TURNS,
        "theme": theme,
        "words": component.translated(WORDS),
    }
    return pack(header)


def vector_view(placement: VectorPlacement, label: str, key: str, on_change: Callable[[VectorPlacement], None]) -> None:
    """Mount the view; `on_change` gets the placement, half a second after the user last moved a vector."""
    count = len(placement.vectors)
    handler = partial(valid_placement, dimensions=placement.dimensions, count=count), on_change
    content = payload(placement.dimensions, label, sentence_input.theme(), count)
    _MOUNT(key, content, vars(placement), placed=handler)
