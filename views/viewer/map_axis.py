"""The queries or the keys of maps: tokens, special tokens, whole words, and which of two texts each belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..map_labels import row_names
from ..text import literal


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
