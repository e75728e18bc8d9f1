"""Everything an opened model computed for one input."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..runtime.messages import Template
from ..text.words import TokenAxis
from ..tracing.kinds import VISION, kind_of
from ..tracing.saving import SavableTrace
from ..tracing.trace import TraceOfModel, Verification
from .errors import OpenError
from .library_version import Reader
from .picture_text_inputs import PictureText
from .record import HubRecord
from .tasks import AnswerForm
from .token_offsets import Tokens

DOUBLED = Template(
    "The text begins with {token} twice: once in the text itself, and once as the tokenizer adds it; trace it with "
    "add_special_tokens=False to have it once."
)
WRITTEN_TWICE = Template("The text begins with {token} twice, and both were given; leave one out to have it once.")
NO_KIND = Template("This trace has no attention of kind {kind}; it has {known}.")


def doubled_token(reader: Reader, source: Tokens | None) -> str | None:
    """The label of the token of a beginning, such as <s> or [CLS], that a text begins with twice; else None."""
    begins = {getattr(reader, f"{name}_token_id", None) for name in ("bos", "cls")} - {None}
    if source is None or not source.ids or source.ids[0] not in begins or source.ids[:2] != source.ids[:1] * 2:
        return None
    return source.labels[0]


def notes_of(reader: Reader, source: Tokens, special: bool) -> tuple[str, ...]:
    """What a reader of the maps of a text should know of its tokens.

    Args:
        special: whether the tokenizer was to add its special tokens to what was given.
    """
    token = doubled_token(reader, source)
    if token is None:
        return ()
    is_added = special and list(source.ids[:1]) == list(reader("")["input_ids"][:1])
    return (str(DOUBLED if is_added else WRITTEN_TWICE).format(token=token),)


@dataclass(frozen=True, eq=False, repr=False)
class TracedPicture:
    """A picture, or one tile of a picture that was cut into tiles, as a network of pictures and text received it."""

    pixels: np.ndarray
    """`(height, width, 3)` float32 in [0, 1]."""
    grid: tuple[int, int]
    """Rows and columns of the parts of the picture that are a token each."""
    places: np.ndarray
    """`(rows * columns,)` int, position in the text of every part, row by row; -1 where it has no token."""
    tower: "HubTrace | None" = None
    """Attention within the picture, of the kind "vision", as a trace of a picture; None where the network has none
    between all patches.
    """

    def over(self, weights: np.ndarray) -> np.ndarray:
        """Attention to the parts of the picture, `(..., rows, columns)`, from weights `(..., key)` of the text.

        A part without a token gets 0. So `picture.over(trace.attention("decoder")[layer, head, token])` is the map of
        one token, and `picture.over(trace.attention("decoder").mean(axis=(0, 1)))` has the mean maps of all tokens.
        """
        has_token = self.places >= 0
        parts = np.where(has_token, np.asarray(weights)[..., np.maximum(self.places, 0)], 0)
        return parts.reshape(*parts.shape[:-1], *self.grid)

    def place(self, row: int, column: int) -> int:
        """The position in the text of a part of the picture; -1 where it has no token. Rows count from 0."""
        return int(self.places.reshape(self.grid)[row, column])

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<TracedPicture of {width} x {height} pixels: {self.grid[0]} x {self.grid[1]} tokens>"


@dataclass(frozen=True, eq=False, repr=False)
class HubTrace(SavableTrace, TraceOfModel):
    """Everything an opened model computed for one input."""

    records: dict[str, HubRecord]
    """Name of a kind -> its recorded attention. Where layers differ in their number of heads, those with equally many
    are a kind of their own, such as "decoder-8-heads".
    """
    logits: np.ndarray
    """`(T, vocabulary)`, `(classes,)`, or the last hidden states `(N, width)` of a model without a head."""
    source: Tokens | None
    """Input tokens of the network, or of its encoder; None for a picture."""
    target: Tokens | None
    """Input tokens of the decoder of an encoder-decoder, else None."""
    stream: dict[str, np.ndarray]
    """Stack -> `(layers + 1, position, width)` float32, where the library returns it."""
    grid: tuple[int, int] | None = None
    """Rows and columns of patches of a picture, else None."""
    leading: int = 0
    """Tokens before the patches of a picture, CLS and registers."""
    pixels: np.ndarray | None = None
    """`(height, width, 3)` float32 in [0, 1], the picture as the network receives it, else None."""
    received: np.ndarray | None = None
    """`(channel, height, width)` float32, output of the image processor, which `trace` takes as it is; else None."""
    classes: tuple[str, ...] | None = None
    """Names in the order of `logits`, for a classifier."""
    kept: str | int = "all"
    """Which steps are stored: "all", "weights", or a layer from 0."""
    form: AnswerForm = "classes"
    """Of a classifier's answer: one of several "classes", several "labels", or "scores", no probabilities."""
    trailing: int = 0
    """Tokens after them, such as those of detections."""
    picture_text: PictureText | None = None
    """Of a text with pictures, what the network read; `trace` takes it as it is. Else None."""
    pictures: tuple[TracedPicture, ...] = ()
    """Of a text with pictures, each picture or tile, with the positions of its tokens in the text."""
    notes: tuple[str, ...] = ()
    """Sentences about the input that a reader of the maps should know, such as of a doubled first token."""

    def attention(self, kind: str) -> np.ndarray | list[np.ndarray]:
        """Weights `(layer, head, query, key)` of "encoder", "decoder", "cross", "vision", or another key of `records`.

        Where layers differ in their number of heads, `records` has a part of the kind for each number, such as
        "decoder-8-heads". The kind itself, "decoder", is then a list of `(head, query, key)`, one for each layer that
        has it, in the order of the network. Of a text with several pictures, "vision" is a list of
        `(layer, head, query, key)`, one for each picture.

        Raises:
            OpenError: the trace has no such kind.
        """
        if not isinstance(kind, str):
            raise OpenError(NO_KIND, kind=str(kind), known=", ".join(self.records))
        if kind in self.records:
            return self.records[kind].weights
        towers = [picture.tower for picture in self.pictures if picture.tower is not None]
        if kind == VISION.name and towers:
            return [tower.records[kind].weights for tower in towers]
        parts = [record for name, record in self.records.items() if name.partition("-")[0] == kind]
        if not parts:
            raise OpenError(NO_KIND, kind=kind, known=", ".join(self.records))
        layers = {number: part.weights[place] for part in parts for place, number in enumerate(part.layers)}
        return [layers[number] for number in sorted(layers)]

    def _sides(self, kind: str) -> tuple[str, str]:
        """The sides of the queries and of the keys of a kind."""
        try:
            own = kind_of(kind)
        except (KeyError, TypeError):
            raise OpenError(NO_KIND, kind=kind, known=", ".join(self.records)) from None
        return own.queries, own.keys

    @property
    def ordinary_places(self) -> list[int]:
        """Positions of the tokens of the text that stand for no part of a picture."""
        parts = np.zeros(0, dtype=int) if self.picture_text is None else np.flatnonzero(self.picture_text.is_picture)
        return sorted(set(range(len(self.tokens("source").ids))) - set(parts.tolist()))

    @property
    def given(self) -> Tokens | np.ndarray | PictureText:
        """The input itself, with which `OpenedModel.trace` gives the same: tokens, or `(channel, height, width)`."""
        if self.picture_text is not None:
            return self.picture_text
        given = self.received if self.source is None else self.source
        assert given is not None, "a trace is of a text or of a picture"
        return given

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the queries and of the keys of a kind."""
        queries, keys = self._sides(kind)
        return self._labels(queries), self._labels(keys)

    def token_axes(self, kind: str) -> tuple[TokenAxis, TokenAxis]:
        """Tokens of the queries and of the keys of a kind, for a text; labels of two texts state which, A or B.

        Those of a decoder's queries have the tokens that it chose there, too.
        """
        queries, keys = map(self.tokens, self._sides(kind))
        return queries.rows, keys.axis

    def ids(self, kind: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Token ids of the queries and of the keys of a kind, for a text."""
        queries, keys = map(self.tokens, self._sides(kind))
        return queries.ids, keys.ids

    def _labels(self, side: str) -> tuple[str, ...]:
        if self.pictures and side == VISION.queries:
            towers = [picture.tower for picture in self.pictures if picture.tower is not None]
            if not towers:
                raise OpenError(NO_KIND, kind=VISION.name, known=", ".join(self.records))
            if len(self.pictures) > 1:
                raise OpenError("There are several pictures; ask one of them, such as trace.pictures[0].tower.")
            return towers[0]._labels(side)
        if self.grid is not None:
            return position_labels(self.grid, self.leading, self.trailing)
        return self.tokens(side).labels

    def tokens(self, side: str) -> Tokens:
        """Input tokens of the "target" side, or of the only text.

        Raises:
            OpenError: the trace is of a picture alone.
        """
        tokens = self.target if side == "target" and self.target is not None else self.source
        if tokens is None:
            raise OpenError("This trace is of a picture alone, so it has no tokens; its patches are trace.axes(kind).")
        return tokens

    def _input_summary(self) -> str:
        if self.source is None:
            return "a picture"
        size = f"{len(self.source.ids)} tokens"
        if self.pictures:
            size += f" with {len(self.pictures)} picture{'s'[: len(self.pictures) > 1]}"
        return size if self.target is None else f"{size} and {len(self.target.ids)} of the target"

    @property
    def probabilities(self) -> np.ndarray:
        """Softmax of `logits` over their last axis, `(T, vocabulary)` or `(classes,)` float32; sigmoid of "labels".

        Raises:
            OpenError: they are "scores".
        """
        if self.form == "scores":
            raise OpenError("This model answers with scores, which are not probabilities; read `answers` or `logits`.")
        logits = self.logits.astype(np.float64)
        if self.form == "labels":
            return np.exp(-np.logaddexp(0, -logits)).astype(np.float32)
        exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)

    @property
    def answers(self) -> np.ndarray:
        """What the classes are listed by: their probabilities, or the "scores", `(classes,)` float32."""
        return self.logits if self.form == "scores" else self.probabilities

    @cached_property
    def verification(self) -> dict[str, Verification]:
        """The check of each kind."""
        return {kind: record.verification for kind, record in self.records.items()}

    def verify(self) -> Verification:
        """The worst figures over all kinds; `verification` contains those of each."""
        return Verification.worst(list(self.verification.values()))


def position_labels(grid: tuple[int, int], leading: int, trailing: int) -> tuple[str, ...]:
    """Labels of the positions of a picture: CLS and registers, the patches row by row, and what follows them."""
    first = ("CLS", *(f"register {number}" for number in range(1, leading)))[:leading]
    last = (f"token {number} after the patches" for number in range(1, trailing + 1))
    return (*first, *(f"row {row + 1}, column {column + 1}" for row, column in np.ndindex(*grid)), *last)
