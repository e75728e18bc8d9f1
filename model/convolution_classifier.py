"""The convolutional network for pages and notebooks, to compare with the Vision Transformer on one picture."""

from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image

from .networks.convolution import ConvolutionalNetwork, ConvolutionConfig
from .networks.tap import Chain, Recorder, Tap
from .picture_classifier import PictureClassifier
from .runtime.device import falls_back
from .tracing.kinds import AttentionKind
from .tracing.picture_trace import PictureTrace
from .tracing.trace import AttentionRecord
from .tracing.traced_model import Capability
from .trained_model import ASSETS

SHIPPED = ASSETS / "convolution"


@dataclass(frozen=True, eq=False, repr=False)
class ConvolutionTrace(PictureTrace):
    """All intermediate results of a convolutional network for one picture.

    Attributes:
        pixels, classes, logits: see `PictureTrace`.
    """

    maps: tuple[np.ndarray, ...]
    """The stream after the stem and after every block, each `(channel, row, column)` float32. A cell covers
    `pixels.shape[0] / map.shape[1]` pixels a side.
    """

    @property
    def records(self) -> dict[str, AttentionRecord]:
        """Empty, as there is no attention in it."""
        return {}

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the queries and of the keys.

        Raises:
            KeyError: always, as it has no attention.
        """
        raise KeyError(kind)


class ConvolutionClassifier(PictureClassifier):
    """A trained convolutional network with its classes; see `PictureClassifier`."""

    network: ConvolutionalNetwork
    network_type, config_type = ConvolutionalNetwork, ConvolutionConfig
    folder = SHIPPED
    kinds: tuple[AttentionKind, ...] = ()
    capabilities: frozenset[Capability] = frozenset({"classify"})

    @falls_back
    @torch.inference_mode()
    def trace(self, image: Image.Image | np.ndarray, *, intervention: Tap | None = None) -> ConvolutionTrace:
        """Record everything that the network computes for a picture.

        Args:
            image: a picture of any size, of PIL or as an array, or pixels `(side, side, 3)` from `prepare`.
            intervention: a tap that changes the stream before it is recorded; see `ConvolutionalNetwork.forward`.
        """
        pixels = self.to_pixels(image)
        recorder = Recorder()
        tap = recorder if intervention is None else Chain(intervention, recorder)
        logits = self.network(self._tensor(pixels)[None], tap)
        maps = tuple(stream[0].float().cpu().contiguous().numpy() for stream in recorder.tensors.values())
        return ConvolutionTrace(pixels, self.config.classes, logits[0].float().cpu().numpy(), maps)
