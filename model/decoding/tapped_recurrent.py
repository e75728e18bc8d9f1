"""Decoding by a recurrent network in which a tap intervenes."""

from __future__ import annotations

from torch import Tensor

from model.networks.recurrent import RecurrentDecoder, RecurrentNetwork
from model.networks.tap import Tap


class UnderTap:
    """A network that decoding sees as any other `TranslationNetwork`, with a tap attached."""

    def __init__(self, network: RecurrentNetwork, tap: Tap) -> None:
        self.network, self.tap = network, tap
        self.config, self.embedding = network.config, network.embedding

    def begin_decoding(self, source: Tensor, source_allowed: Tensor | None = None) -> RecurrentDecoder:
        """Encode under the tap, and get ready to decode under it."""
        return self.network.begin_decoding(source, source_allowed, self.tap)
