"""What all networks that translate have in common, so that decoding and translators need not know which one it is."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor, nn

from model.networks.config import SequenceConfig
from model.networks.tap import Tap


class StepDecoder(Protocol):
    """A decoder at work; see `model.decoding.cached.CachedDecoder`, the Transformer's."""

    def step(self, ids: Tensor) -> Tensor:
        """`(row,)` newest ids -> `(row, vocabulary)` logits of the tokens that follow."""

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Go on with these hypotheses of the one sentence, in this order."""


class TranslationNetwork(Protocol):
    """What decoding needs of a network: a `Transformer`, a `RecurrentNetwork`."""

    config: SequenceConfig
    embedding: nn.Embedding

    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> StepDecoder:
        """Encode `(batch, source)` ids, and get ready to decode."""
