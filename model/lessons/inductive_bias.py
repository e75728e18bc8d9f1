"""What a network expects of pictures before it has seen any: how far a place sees, and pictures that are rearranged."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..networks.convolution import STEM_STRIDE, ConvolutionConfig

SIZES = (96, 128, 160, 192)  # pixels a side: multiples of the patches and of the convolution's last places


@dataclass(frozen=True)
class ReceptiveField:
    """After the stem (block 0) or a block: pixels a side that a place sees, and pixels from one place to the next."""

    block: int
    pixels: int
    step: int


def receptive_fields(config: ConvolutionConfig) -> list[ReceptiveField]:
    """How far the filters of a convolutional network reach: each 3 x 3 filter adds two of its places' steps.

    The squeeze, which scales whole channels by the mean of their map, reaches everywhere and is left out.
    """
    pixels, step = 1, 1
    for _ in range(2):  # the stem
        pixels, step = pixels + 2 * step, 2 * step
    assert step == STEM_STRIDE
    found = [ReceptiveField(0, pixels, step)]
    for stage in range(len(config.widths)):
        for block in range(config.blocks):
            pixels += 2 * step
            step *= 2 if stage and not block else 1
            pixels += 2 * step
            found.append(ReceptiveField(len(found), pixels, step))
    return found


def rearrange(pixels: np.ndarray, patch: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The picture as it is, moved by a patch, with its patches and with the pixels of each patch in another order.

    Args:
        pixels: `(height, width, 3)` of whole patches; what leaves on one side comes in on the other.
    """
    rows, columns = pixels.shape[0] // patch, pixels.shape[1] // patch
    rng = np.random.default_rng(seed)
    patches = pixels.reshape(rows, patch, columns, patch, 3).swapaxes(1, 2).reshape(-1, patch * patch, 3)
    together = lambda cut: cut.reshape(rows, columns, patch, patch, 3).swapaxes(1, 2).reshape(pixels.shape)  # noqa: E731
    return {
        "kept": pixels,
        "shifted": np.roll(pixels, patch, axis=1),
        "patches": together(patches[rng.permutation(len(patches))]),
        "pixels": together(patches[:, rng.permutation(patch * patch)]),
    }


@torch.inference_mode()
def predict(network: nn.Module, pictures: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Probabilities `(class,)` of each picture `(height, width, 3)`, within [0, 1]."""
    return {name: _probabilities(network, _tensor(network, pixels)) for name, pixels in pictures.items()}


@torch.inference_mode()
def predict_by_size(network: nn.Module, pixels: np.ndarray) -> dict[int, np.ndarray]:
    """Probabilities of one picture read at each of `SIZES`; a ViT interpolates its position vectors."""
    whole = _tensor(network, pixels)
    scaled = lambda size: F.interpolate(whole, (size, size), mode="bilinear", antialias=True)  # noqa: E731
    return {size: _probabilities(network, scaled(size)) for size in SIZES}


def _tensor(network: nn.Module, pixels: np.ndarray) -> Tensor:
    like = next(network.parameters())
    tensor = torch.from_numpy(np.ascontiguousarray(pixels)).to(like.device, like.dtype)
    return (tensor * 2 - 1).permute(2, 0, 1)[None]  # (1, 3, height, width)


def _probabilities(network: nn.Module, tensor: Tensor) -> np.ndarray:
    return network(tensor)[0].float().softmax(dim=-1).cpu().numpy()
