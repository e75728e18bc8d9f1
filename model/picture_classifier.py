"""Base of all networks that classify pictures: reading a folder, preparing pictures, probabilities."""

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from .networks.tap import Tap
from .picture_arrays import is_array, picture_of
from .picture_conversion import upright_rgb
from .runtime.device import falls_back
from .tracing.picture_trace import PictureTrace
from .trained_model import TrainedModel


class PictureClassifier(TrainedModel):
    """A trained network with its classes; see `TrainedModel`."""

    @classmethod
    def load(cls, path: str | Path | None = None, device: str = "auto") -> Self:
        """Read a classifier's folder; by default the one this project ships.

        Args:
            path: folder with `config.json`, `model.safetensors` and `card.json`.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        return cls(**cls.read_trained("classifier", Path(path) if path is not None else cls.folder, device))

    def prepare(self, image: Image.Image | np.ndarray) -> np.ndarray:
        """Prepare a picture for the network: the middle square, scaled to `(side, side, 3)` float32 in [0, 1].

        A picture is first turned upright and converted to sRGB on white, see `model.picture_conversion`.

        Args:
            image: a picture of PIL, or an array or tensor of RGB, see `model.picture_arrays.picture_of`.

        Raises:
            InputError: an array that is no picture.
        """
        picture: Any = picture_of(image) if is_array(image) else image
        return middle_square(upright_rgb(picture), self.config.image_size).astype(np.float32) / 255

    def to_pixels(self, image: Image.Image | np.ndarray) -> np.ndarray:
        """Pixels `(height, width, 3)` from `prepare` as they are, and those of any other picture prepared.

        Raises:
            InputError: see `prepare`.
        """
        side = self.config.image_size
        if isinstance(image, np.ndarray) and image.dtype == np.float32 and image.shape == (side, side, 3):
            return image if image.min() >= 0 and image.max() <= 1 else self.prepare(image)
        return self.prepare(image)

    @falls_back
    @torch.inference_mode()
    def probabilities(self, pixels: np.ndarray, tap: Tap | None = None) -> np.ndarray:
        """Compute class probabilities `(class,)` float32 of prepared pixels, under an intervention if `tap` is one."""
        return self.network(self._tensor(pixels)[None], tap)[0].float().softmax(dim=0).cpu().numpy()

    def score(self, trace: PictureTrace) -> np.ndarray:
        """Compute -ln p of every class, in nats, `(class,)` float64."""
        shifted = trace.logits.astype(np.float64) - trace.logits.max()
        return np.log(np.exp(shifted).sum()) - shifted

    def _tensor(self, pixels: np.ndarray) -> Tensor:
        """`(height, width, 3)` in [0, 1] -> `(3, height, width)` in [-1, 1] on the network's device."""
        channels = np.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=np.float32)
        return torch.from_numpy(channels).to(self.device) * 2 - 1


def middle_square(image: Image.Image, side: int) -> np.ndarray:
    """Crop the middle square of a picture and scale it (bicubic) to `(side, side, 3)` uint8."""
    width, height = image.size
    short = min(width, height)
    left, top = (width - short) / 2, (height - short) / 2
    image = image.convert("RGB")
    if image.size != (side, side):
        image = image.resize((side, side), Image.Resampling.BICUBIC, (left, top, left + short, top + short))
    return np.asarray(image)
