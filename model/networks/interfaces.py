"""The interface of all networks that translate, so that decoding and translators need not know which one it is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from .config import SequenceConfig
from .linear import Linear, Packed, linear, pack
from .tap import Tap


class StepDecoder(Protocol):
    """Decodes token by token and stores what later steps need; `begin_decoding` of a network returns one."""

    def step(self, ids: Tensor) -> Tensor:
        """`(row,)` newest ids -> `(row, vocabulary)` logits of the tokens that follow."""

    def select_rows(self, rows: Sequence[int]) -> None:
        """Continue with these hypotheses of the one sentence, in this order."""


class TranslationNetwork(nn.Module, ABC):
    """A `Transformer`, a `RecurrentNetwork`: ids in, logits out; source, target and output share one embedding."""

    config: SequenceConfig
    embedding: nn.Embedding
    packed_embedding: Packed | None = None  # for `project`

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.embedding.weight.device

    def ids(self, ids: Sequence[int]) -> Tensor:
        """One sequence as a batch on the network's device: `(1, position)` int64."""
        return torch.tensor([list(ids)], device=self.device)

    def most_generated(self, source_length: int) -> int:
        """The most tokens that can be generated after a source of so many tokens."""
        return self.config.max_positions

    @abstractmethod
    def hidden(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced outputs of the decoder, `(batch, target, d_model)`; the arguments are those of `forward`."""

    @abstractmethod
    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> StepDecoder:
        """Encode `(batch, source)` ids, and return a decoder that decodes token by token.

        Args:
            source_allowed: `(batch, 1, 1, source)` from `padding_mask`; None if nothing is padded.
        """

    def project(self, hidden: Tensor) -> Tensor:
        """Logits through the shared embedding: `(..., d_model)` -> `(..., vocabulary)`."""
        return linear(hidden, self.embedding.weight, None, self.packed_embedding)

    def pack(self) -> None:
        """Translate faster from now on, with the same weights; see `model.networks.linear.pack`."""
        self.packed_embedding = pack(self.embedding.weight)
        for module in self.modules():
            if isinstance(module, Linear):
                module.pack()

    def forward(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced logits.

        Args:
            source: `(batch, source)` ids, padded on the right with `pad_id`.
            target: `(batch, target)` ids, likewise, starting with the begin-of-sentence token.

        Returns:
            `(batch, target, vocabulary)`; row t predicts target token t + 1.
        """
        return self.project(self.hidden(source, target, tap))
