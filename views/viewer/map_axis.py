"""The queries or the keys of maps: labels, special tokens, whole words, and which of two texts each belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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

    Attributes:
        labels: one for each position.
        special: whether each is a special token, or CLS; none if empty.
        words: the whole words, in order, each position in exactly one; None where positions are no parts of words.
        segments: 0 or 1, the text of two that each belongs to; empty for one text.

    Raises:
        ValueError: marks, words or segments do not fit the labels.
    """

    labels: tuple[str, ...]
    special: tuple[bool, ...] = ()
    words: tuple[WordSpan, ...] | None = None
    segments: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.segments and len(self.segments) != len(self.labels):
            count = len(self.segments)
            raise ValueError(f"There are {count} segments for {len(self.labels)} labels; give one for each.")
        if self.special and len(self.special) != len(self.labels):
            raise ValueError(f"There are {len(self.special)} marks for {len(self.labels)} labels; give one for each.")
        ends = [0, *(word.end for word in self.words or ())]
        if self.words is not None and ([word.start for word in self.words] != ends[:-1] or ends[-1] != len(self)):
            raise ValueError("The words do not cover the positions one after another, each exactly once.")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def starts(self) -> list[int]:
        """The first position of every word, or every position where there are no words."""
        return list(range(len(self))) if self.words is None else [word.start for word in self.words]

    @property
    def special_places(self) -> list[int]:
        """The positions of special tokens."""
        return [place for place, mark in enumerate(self.special) if mark]

    @property
    def ordinary_places(self) -> list[int]:
        """The positions of all other tokens."""
        return [place for place in range(len(self)) if not self.special or not self.special[place]]

    def in_words(self) -> "MapAxis":
        """The axis of the whole words; itself if there are none."""
        if self.words is None:
            return self
        segments = self.segments and tuple(self.segments[start] for start in self.starts)
        special = tuple(word.special for word in self.words)
        return MapAxis(tuple(word.text for word in self.words), special, segments=segments)

    def select(self, places: Sequence[int]) -> "MapAxis":
        """Some positions, without their words."""
        marks = self.special and tuple(self.special[place] for place in places)
        segments = self.segments and tuple(self.segments[place] for place in places)
        return MapAxis(tuple(self.labels[place] for place in places), marks, segments=segments)

    def of_text(self, text: int) -> list[int]:
        """The positions of one of two texts, 0 or 1; all where there is one text."""
        return [place for place in range(len(self)) if not self.segments or self.segments[place] == text]
