"""What all networks that translate have in common, so that decoding and translators need not know which one it is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from .config import SequenceConfig
from .linear import Linear, linear, pack
from .tap import Tap


class StepDecoder(Protocol):
    """A decoder at work; see `model.decoding.cached.CachedDecoder`, the Transformer's."""

    def step(self, ids: Tensor) -> Tensor:
        """`(row,)` newest ids -> `(row, vocabulary)` logits of the tokens that follow."""

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Go on with these hypotheses of the one sentence, in this order."""


class TranslationNetwork(nn.Module, ABC):
    """A `Transformer`, a `RecurrentNetwork`: ids in, logits out, through the one embedding that all sides share."""

    config: SequenceConfig
    embedding: nn.Embedding

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.embedding.weight.device

    def ids(self, ids: Sequence[int]) -> Tensor:
        """One sequence as a batch on the network's device: `(1, position)` int64."""
        return torch.tensor([list(ids)], device=self.device)

    @abstractmethod
    def hidden(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced outputs of the decoder, `(batch, target, d_model)`; the arguments are those of `forward`."""

    @abstractmethod
    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> StepDecoder:
        """Encode `(batch, source)` ids, and get ready to decode token by token.

        Args:
            source_allowed: `(batch, 1, 1, source)` from `padding_mask`; None where nothing is padded.
        """

    def project(self, hidden: Tensor) -> Tensor:
        """Logits through the shared embedding: `(..., d_model)` -> `(..., vocabulary)`."""
        return linear(hidden, self.embedding.weight)

    def pack(self) -> None:
        """Translate faster from now on, with the same weights; see `model.networks.linear.pack`."""
        pack(self.embedding.weight)
        for module in self.modules():
            if isinstance(module, Linear):
                pack(module.weight)

    def forward(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced logits.

        Args:
            source: `(batch, source)` ids, padded on the right with `pad_id`.
            target: `(batch, target)` ids, likewise, starting with the begin-of-sentence token.

        Returns:
            `(batch, target, vocabulary)`; row t predicts target token t + 1.
        """
        return self.project(self.hidden(source, target, tap))
