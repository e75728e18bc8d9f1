"""Everything an opened model computed for one input."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..tracing.kinds import KINDS, AttentionKind
from ..tracing.saving import SavedTrace
from ..tracing.trace import Verification
from .record import HubRecord
from .token_offsets import Tokens


@dataclass(frozen=True, eq=False, repr=False)
class HubTrace(SavedTrace):
    """What an opened model computed for one input.

    Attributes:
        records: name of a kind -> what was recorded of it.
        logits: `(T, vocabulary)`, `(classes,)`, or the last hidden states `(N, width)` of a model without a head.
        source: what the network, or its encoder, read; None for a picture.
        target: what the decoder of an encoder-decoder read, else None.
        stream: stack -> `(layers + 1, position, width)` float32, where the library gives it.
        grid: rows and columns of patches of a picture, else None.
        leading: tokens before the patches of a picture, CLS and registers.
        pixels: `(height, width, 3)` float32 in [0, 1], the picture as the network receives it, else None.
        received: `(3, height, width)` float32, a picture as its image processor has made it, else None.
        classes: names in the order of `logits`, for a classifier.
        kept: what was kept: "all", "weights", or a layer from 0.
    """

    records: dict[str, HubRecord]
    logits: np.ndarray
    source: Tokens | None
    target: Tokens | None
    stream: dict[str, np.ndarray]
    grid: tuple[int, int] | None = None
    leading: int = 0
    pixels: np.ndarray | None = None
    received: np.ndarray | None = None
    classes: tuple[str, ...] | None = None
    kept: str | int = "all"

    def attention(self, kind: str) -> np.ndarray:
        """`(layer, head, query, key)` of "encoder", "decoder", "cross" or "vision"."""
        return self.records[kind].weights

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the queries and of the keys of a kind."""
        read = KINDS[kind]
        return self._labels(read, read.queries), self._labels(read, read.keys)

    def _labels(self, kind: AttentionKind, side: str) -> tuple[str, ...]:
        if self.grid is not None:
            first = ("CLS", *(f"register {number}" for number in range(1, self.leading)))[: self.leading]
            return (*first, *(f"row {row + 1}, column {column + 1}" for row, column in np.ndindex(*self.grid)))
        tokens = self.target if side == "target" and self.target is not None else self.source
        return tokens.labels

    def _about(self) -> str:
        if self.source is None:
            return "a picture"
        read = f"{len(self.source.ids)} tokens"
        return read if self.target is None else f"{read} and {len(self.target.ids)} of the target"

    @property
    def probabilities(self) -> np.ndarray:
        """Softmax of `logits` over their last axis, `(T, vocabulary)` or `(classes,)` float32."""
        logits = self.logits.astype(np.float64)
        exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)

    @cached_property
    def verification(self) -> dict[str, Verification]:
        """The check of each kind."""
        return {kind: record.verification for kind, record in self.records.items()}

    def verify(self) -> Verification:
        """The worst figures over all kinds; `verification` has them one by one."""
        return Verification.worst(list(self.verification.values()))
