"""What every network that names what is on a picture has in common: its folder, pictures made ready, probabilities."""

from functools import cached_property
from pathlib import Path
from typing import Protocol, Self

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from model.networks.tap import Tap
from model.runtime.arrays import softmax
from model.runtime.checkpoint import check_sha256, load_tensors, load_weights, read_json, read_text, reading, shown
from model.runtime.device import choose_device
from model.runtime.fallback import device_of, falls_back, place, where_it_runs


class PictureConfig(Protocol):
    """What the sizes of every such network have."""

    classes: tuple[str, ...]
    image_size: int

    def to_dict(self) -> dict: ...


class PictureTrace:
    """What the traces of all such networks can say, besides their tensors.

    Attributes:
        pixels: `(height, width, 3)` float32 in [0, 1], the picture as the network receives it.
        classes: the names, in the order of `logits`.
        logits: `(class,)` float32.
    """

    pixels: np.ndarray
    classes: tuple[str, ...]
    logits: np.ndarray

    @property
    def probabilities(self) -> np.ndarray:
        """`(class,)` float32, summing to 1."""
        return softmax(self.logits.astype(np.float64)).astype(np.float32)

    @property
    def answer(self) -> int:
        """The most probable class."""
        return int(self.logits.argmax())


class PictureClassifier:
    """A trained network with its classes. Safe to share between threads.

    Attributes:
        network: in evaluation mode.
        card: figures about data, training and quality, as the evaluation wrote them.
        weights_sha256: hash of the weight file, verified when it was read.
        folder: where its files lie.
    """

    network: nn.Module
    folder: Path | None = None

    def __init__(
        self, network: nn.Module, card: dict | None = None, card_markdown: str = "", folder: Path | None = None
    ) -> None:
        self.network = network.eval().requires_grad_(False)
        self.card = card or {}
        self.card_markdown = card_markdown
        self.weights_sha256: str = self.card.get("weights_sha256", "")
        self.folder = folder or self.folder

    @classmethod
    def _read(cls, folder: Path, device: str) -> Self:
        """A folder's network, on `device`; the errors are those of `VisionClassifier.load`."""
        card = read_json(folder / "card.json")
        with reading("classifier", folder):
            network = cls._build(read_json(folder / "config.json"))
            tensors, _ = load_tensors(folder / "model.safetensors", card["weights_sha256"])
        load_weights(network, tensors, shown(folder))
        if "config_sha256" in card:  # sizes that fit the weights can still be wrong: the number of heads, the classes
            check_sha256(folder / "config.json", card["config_sha256"])
        text = read_text(folder / "card.md")
        return cls(place(network, choose_device(device)), card, text, folder)

    @staticmethod
    def _build(sizes: dict) -> nn.Module:
        """A network of the sizes in `config.json`, not yet trained."""
        raise TypeError("A PictureClassifier has no network of its own; load a VisionClassifier.")

    @property
    def config(self) -> PictureConfig:
        """The network's sizes."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where the network runs."""
        return device_of(self.network)

    @property
    def device_name(self) -> str:
        """The same for people, and why it had to leave the GPU if it had to."""
        return where_it_runs(self.network)

    @cached_property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def prepare(self, image: Image.Image) -> np.ndarray:
        """The picture as the network receives it: the middle square, scaled. `(side, side, 3)` float32 in [0, 1]."""
        return middle_square(image, self.config.image_size).astype(np.float32) / 255

    @falls_back
    @torch.inference_mode()
    def probabilities(self, pixels: np.ndarray, tap: Tap | None = None) -> np.ndarray:
        """Class probabilities `(class,)` float32 of prepared pixels, with an intervention where a tap is given."""
        return self.network(self._tensor(pixels)[None], tap)[0].float().softmax(dim=0).cpu().numpy()

    def score(self, trace: PictureTrace) -> np.ndarray:
        """-ln p of every class, in nats, `(class,)` float64."""
        shifted = trace.logits.astype(np.float64) - trace.logits.max()
        return np.log(np.exp(shifted).sum()) - shifted

    def _tensor(self, pixels: np.ndarray) -> Tensor:
        """`(height, width, 3)` in [0, 1] -> `(3, height, width)` in [-1, 1] on the network's device."""
        channels = np.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=np.float32)
        return torch.from_numpy(channels).to(self.device) * 2 - 1


def middle_square(image: Image.Image, side: int) -> np.ndarray:
    """The middle square of a picture, scaled (bicubic) to `(side, side, 3)` uint8."""
    width, height = image.size
    short = min(width, height)
    left, top = (width - short) / 2, (height - short) / 2
    image = image.convert("RGB")
    if image.size != (side, side):
        image = image.resize((side, side), Image.Resampling.BICUBIC, (left, top, left + short, top + short))
    return np.asarray(image)
