"""Draw the stage for a paper or a slide, on white: tokens, ribbons, bars, arcs of self-attention, and the caption.

Which weights are drawn, and how they divide a bar, is as on the page; see `web/src/views/stage/pulling.ts`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .. import palette
from ..text.numbers import short
from .drawing import Box, Drawing, Item, Stroke, TextLine, fit_label, text_width, wrap
from .matrix_image import MARGIN

SHARE, MOST, LEAST = 0.8, 3, 0.08  # at rest: the strongest keys up to this share, so many, none below this weight
ARC_LEAST = 0.25  # of an arc at rest
HELD_LEAST = 0.02  # of the row of a pull
_TEXT, _NUMBER = 15, 13  # font sizes
_TOKEN, _BAR, _NEAREST = 30, 8, 2  # heights, and the distance of a bar from its token
_LONGEST_BAR, _SLOT, _PADDING, _GAP, _MOST_GAP = 56, 28, 10, 12, 72
_ARCS, _RIBBONS = 72, 230  # heights of their rooms
_NARROWEST = 720  # of the rows
_LINE = 20  # height of a line of the caption
_HATCHED = palette.SECONDARY["light"][1]


@dataclass(frozen=True, eq=False)
class StagePicture:
    """What a picture of the stage shows."""

    title: str  # names the map that is chosen
    kind: str  # of it: "encoder", "cross" or "decoder"
    maps: Mapping[str, np.ndarray]  # kind -> the weights that are drawn, `(query, key)`
    # `english`, `french`: labels; the French ones are chosen one after another
    english: Sequence[str]
    french: Sequence[str]
    start: str  # label of the decoder's first input
    pulled: tuple[str, int, int] | None  # kind, query and key of the last pull, from 0
    caption: Sequence[str]  # sentences below it


@dataclass(frozen=True)
class _Layout:
    """Where tokens and bars are; the French ones begin with the start token, and `bars` is the length of a bar."""

    english: list[Box]
    french: list[Box]
    bar: float
    width: float

    def bar_at(self, place: int) -> tuple[float, float]:
        """The upper left corner of a place's bar."""
        box = self.french[place + 1]
        return box.x + (box.width - self.bar) / 2, box.y - _NEAREST - _BAR


def at_rest(row: np.ndarray) -> list[int]:
    """The keys of a row that are drawn at rest, in order."""
    keys: list[int] = []
    covered = 0.0
    for key in np.argsort(-row, kind="stable").tolist():
        if len(keys) == MOST or covered >= SHARE or row[key] < LEAST:
            break
        keys.append(key)
        covered += float(row[key])
    return sorted(keys)


def stage_drawing(picture: StagePicture) -> Drawing:
    """Lay out the stage with its caption."""
    layout = _lay_out(picture)
    width = layout.width + 2 * MARGIN
    lines = [line for text in picture.caption for line in wrap(text, _NUMBER, layout.width)]
    bottom = layout.french[0].y + _TOKEN + _ARCS
    items: list[Item] = [TextLine(MARGIN, MARGIN + 8, picture.title, _TEXT)]
    items += _tokens(layout.english, picture.english, "encoder")
    items += _tokens(layout.french, [picture.start, *picture.french], "decoder")
    for place in range(len(picture.french)):
        items += _place(picture, layout, place)
    items += _arcs(picture, layout)
    items += [TextLine(MARGIN, bottom + _LINE * (index + 0.5), line, _NUMBER) for index, line in enumerate(lines)]
    return Drawing(width, bottom + _LINE * len(lines) + MARGIN, picture.title, tuple(items))


def _lay_out(picture: StagePicture) -> _Layout:
    widths = [
        [max(_SLOT, text_width(fit_label(label, _TEXT)[0], _TEXT) + _PADDING) for label in labels]
        for labels in (picture.english, [picture.start, *picture.french])
    ]
    width = max(_NARROWEST, *(sum(own) + _GAP * (len(own) - 1) for own in widths))
    top = MARGIN + 30 + _ARCS
    english, french = (_row(own, width, y) for own, y in zip(widths, (top, top + _TOKEN + _RIBBONS), strict=True))
    middles = [box.x + box.width / 2 for box in french[1:]]
    nearest = min(np.diff(middles).tolist(), default=_LONGEST_BAR)
    return _Layout(english, french, min(_LONGEST_BAR, nearest - 4), width)


def _row(widths: Sequence[float], width: float, y: float) -> list[Box]:
    """Boxes spread over the width, though not further apart than `_MOST_GAP`."""
    gap = min(_MOST_GAP, (width - sum(widths)) / max(1, len(widths) - 1))
    x = MARGIN + max(0, (width - sum(widths) - gap * (len(widths) - 1)) / 2)
    boxes = []
    for own in widths:
        boxes.append(Box(x, y, own, _TOKEN, "#FFFFFF"))
        x += own + gap
    return boxes


def _colour(kind: str, share: float) -> str:
    scale = palette.scale(kind, "light")
    return scale[round(share * (len(scale) - 1))]


def _tokens(boxes: Sequence[Box], labels: Sequence[str], kind: str) -> Iterable[Item]:
    for box, label in zip(boxes, labels, strict=True):
        yield Box(box.x, box.y, box.width, box.height, _colour(kind, 0.08))
        cut, whole = fit_label(label, _TEXT)
        yield TextLine(box.x + box.width / 2, box.y + box.height / 2, cut, _TEXT, "middle", whole=whole)


def _place(picture: StagePicture, layout: _Layout, place: int) -> Iterable[Item]:
    """The bar of a place and the ribbons that divide it; all of them with numbers where one was pulled."""
    weights = picture.maps["cross"]
    row = weights[place]
    is_pulled = picture.pulled is not None and picture.pulled[:2] == ("cross", place)
    pulled_key = picture.pulled[2] if picture.pulled and is_pulled else -1
    keys = [key for key, weight in enumerate(row) if weight >= HELD_LEAST or key == pulled_key]
    x, y = layout.bar_at(place)
    yield Box(x, y, layout.bar, _BAR, _HATCHED)
    at = x
    for key in keys if is_pulled else at_rest(row):
        length = float(row[key]) * layout.bar
        yield Box(at, y, max(0.5, length - 1), _BAR, _colour("cross", 0.82 if is_pulled else 0.56))
        yield _ribbon(layout, weights, (place, key), at + length / 2, _opacity(picture, is_pulled, key == pulled_key))
        at += length
        if is_pulled:
            box = layout.english[key]
            text = short(float(row[key]))
            yield TextLine(box.x + box.width / 2, box.y + _TOKEN + 10, text, _NUMBER, "middle")


def _opacity(picture: StagePicture, is_pulled: bool, is_own: bool) -> float:
    if is_pulled:
        return 0.95 if is_own else 0.6
    return 0.15 if picture.pulled or picture.kind != "cross" else 0.35


def _ribbon(layout: _Layout, weights: np.ndarray, cell: tuple[int, int], x: float, opacity: float) -> Stroke:
    """From a key to its part of a place's bar, where its middle is at `x`."""
    place, key = cell
    box = layout.english[key]
    total = float(weights[:, key].sum()) * layout.bar
    before = float(weights[:place, key].sum() + weights[place, key] / 2) * layout.bar
    squeezed = min(1.0, max(box.width, _SLOT) / total) if total else 1.0
    top, bottom = box.y + _TOKEN, layout.bar_at(place)[1]
    begin, half = box.x + box.width / 2 + (before - total / 2) * squeezed, (top + bottom) / 2
    width = max(1.0, float(weights[place, key]) * layout.bar)
    return Stroke((begin, top), (begin, half), (x, half), (x, bottom), width, _colour("cross", 0.56), opacity)


def _arcs(picture: StagePicture, layout: _Layout) -> Iterable[Item]:
    for kind in ("encoder", "decoder"):
        for query, row in enumerate(picture.maps[kind]):
            is_pulled = picture.pulled is not None and picture.pulled[:2] == (kind, query)
            for key in _arc_keys(row, kind, query, picture.kind == kind, is_pulled):
                opacity = 0.9 if is_pulled else 0.4 if picture.kind == kind and not picture.pulled else 0.25
                yield _arc(layout, kind, (query, key), float(row[key]), opacity)
                if is_pulled:
                    box = layout.english[key] if kind == "encoder" else layout.french[key]
                    y = box.y + (_TOKEN + 10 if kind == "encoder" else -22)
                    yield TextLine(box.x + box.width / 2, y, short(float(row[key])), _NUMBER, "middle")


def _arc_keys(row: np.ndarray, kind: str, query: int, is_chosen: bool, is_pulled: bool) -> list[int]:
    """The keys to which arcs are drawn: a token of the encoder has none to itself, and no later one is seen."""
    if is_pulled:
        keys = [key for key, weight in enumerate(row) if weight >= HELD_LEAST]
    elif is_chosen:
        keys = at_rest(row)
    else:
        others = [key for key in range(len(row)) if kind != "encoder" or key != query]
        strongest = max(others, key=lambda key: float(row[key]), default=-1)
        keys = [strongest] if strongest >= 0 and row[strongest] >= ARC_LEAST else []
    return [key for key in keys if kind != "encoder" or key != query]


def _arc(layout: _Layout, kind: str, cell: tuple[int, int], weight: float, opacity: float) -> Stroke:
    query, key = cell
    if kind == "encoder":
        boxes = layout.english[query], layout.english[key]
    else:
        boxes = layout.french[query + 1], layout.french[key]
    begin, end = (box.x + box.width / 2 for box in boxes)
    sign, y = (-1, boxes[0].y - 1) if kind == "encoder" else (1, boxes[0].y + _TOKEN + 1)
    far = y + sign * min(1.25 * _ARCS, 18 + 0.35 * abs(begin - end))
    return Stroke((begin, y), (begin, far), (end, far), (end, y), max(1.0, 6 * weight), _colour(kind, 0.56), opacity)
