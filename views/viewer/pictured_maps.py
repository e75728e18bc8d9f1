"""Maps of a text with pictures: labels of the parts of pictures, and each picture as one position."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import map_labels, patch_grid
from ..text.catalogue import Message
from .attention_maps import AttentionMaps, KindMaps, MapAxis, WordSpan

PICTURE = Message("picture.number", "picture {number}")
PART = Message("picture.part", "picture {number}, {part}")
TILE = Message("picture.tile", "tile {number}")
TILES = Message("picture.tiles", "tiles {first} to {last}")
TILE_PART = Message("picture.tile.part", "tile {number}, {part}")


@dataclass(frozen=True, eq=False)
class PictureInText:
    """A picture between the tokens of a text."""

    pixels: np.ndarray  # `(height, width, 3)` uint8, in grey, so that colours over it are of the map alone
    grid: tuple[int, int]  # rows and columns of its parts
    places: tuple[int, ...]  # position in the text of every part, row by row; -1 where it has no token
    is_tile: bool = False  # whether it is one of the tiles that the model's processor cuts a picture into


@dataclass(frozen=True)
class _MergedRun:
    """A run of positions that is shown as one; a `WordSpan`."""

    text: str
    start: int
    end: int
    special: bool = False


def pictures_in_text(trace: Any) -> list[PictureInText]:
    """The pictures of a trace of `model.hub`, in their order; none of a text alone."""
    pictures = getattr(trace, "pictures", ())
    tiled = bool(pictures) and len(pictures) > trace.picture_text.pictures
    return [
        PictureInText(patch_grid.grey(patch_grid.as_bytes(own.pixels)), own.grid, tuple(own.places.tolist()), tiled)
        for own in pictures
    ]


def with_part_names(maps: AttentionMaps, pictures: Sequence[PictureInText]) -> AttentionMaps:
    """The maps of a text whose parts of pictures are named by their row and column."""
    names: dict[int, str] = {}
    for number, picture in enumerate(pictures, 1):
        for place, part in zip(picture.places, map_labels.patch_names(picture.grid), strict=True):
            of_several = TILE_PART if picture.is_tile else PART
            names[place] = part if len(pictures) == 1 else of_several(number=number, part=part)

    def named(axis: MapAxis) -> MapAxis:
        return replace(axis, labels=tuple(names.get(place, label) for place, label in enumerate(axis.labels)))

    kinds = {name: replace(each, queries=named(each.queries), keys=named(each.keys)) for name, each in maps.items()}
    return replace(maps, kinds=kinds)


def with_pictures_as_one(maps: AttentionMaps, pictures: Sequence[PictureInText]) -> AttentionMaps:
    """The maps of a text in which each picture is one position: summed over its keys, averaged over its queries."""
    kinds = {name: _merged(each, pictures) for name, each in maps.items()}
    return replace(maps, kinds=kinds)


def _merged(maps: KindMaps, pictures: Sequence[PictureInText]) -> KindMaps:
    axis = maps.queries
    runs = _runs(axis, pictures)
    whole = MapAxis(axis.labels, axis.special, runs)
    merged = replace(maps, queries=whole, keys=whole).in_words()
    shown = MapAxis(merged.queries.labels, tuple(run.special for run in runs), _words(axis, runs))
    return replace(merged, kind=maps.kind, units=maps.units, queries=shown, keys=shown)


def picture_spans(pictures: Sequence[PictureInText]) -> dict[int, tuple[int, list[int]]]:
    """First position of each picture -> the one after its last, and its number; tiles that alternate are one."""
    own = [[place for place in picture.places if place >= 0] for picture in pictures]
    spans: list[tuple[int, int, list[int]]] = []
    for start, end, number in sorted((min(each), max(each) + 1, at) for at, each in enumerate(own, 1) if each):
        if spans and start < spans[-1][1]:
            first, last, numbers = spans[-1]
            spans[-1] = first, max(end, last), [*numbers, number]
        else:
            spans.append((start, end, [number]))
    return {start: (end, numbers) for start, end, numbers in spans}


def _name(numbers: Sequence[int], is_tile: bool) -> str:
    """The name of a picture, or of tiles that are one position."""
    if not is_tile:
        return PICTURE(number=numbers[0])
    return TILE(number=numbers[0]) if len(numbers) == 1 else TILES(first=numbers[0], last=numbers[-1])


def _runs(axis: MapAxis, pictures: Sequence[PictureInText]) -> tuple[_MergedRun, ...]:
    """Each position as a run of its own, but those of a picture as one."""
    starts = picture_spans(pictures)
    runs, place = [], 0
    while place < len(axis):
        if place in starts:
            end, numbers = starts[place]
            runs.append(_MergedRun(_name(numbers, pictures[numbers[0] - 1].is_tile), place, end))
        else:
            end = place + 1
            runs.append(_MergedRun(axis.labels[place], place, end, bool(axis.special and axis.special[place])))
        place = end
    return tuple(runs)


def _words(axis: MapAxis, runs: Sequence[_MergedRun]) -> tuple[WordSpan, ...] | None:
    """The whole words of an axis after its positions were merged into runs; None where it has none."""
    if axis.words is None:
        return None
    new = {run.start: place for place, run in enumerate(runs)}
    words: list[WordSpan] = []
    for word in axis.words:
        if word.start not in new:  # inside of a picture
            continue
        start = new[word.start]
        run = runs[start]
        text = run.text if run.end > word.end else word.text
        words.append(_MergedRun(text, start, max(start + 1, new.get(word.end, start + 1)), word.special))
    return tuple(words)
