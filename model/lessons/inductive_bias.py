"""Inductive bias of picture networks: receptive fields, and answers to rearranged and resized pictures."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..networks.convolution import STEM_STRIDE, ConvolutionConfig

SIZES = (96, 128, 160, 192)  # pixels a side: multiples of the patch size and of the convolution's stride


@dataclass(frozen=True)
class ReceptiveField:
    """Receptive field after the stem (block 0) or a block: its side, and the stride, both in pixels."""

    block: int
    pixels: int
    step: int


def receptive_fields(config: ConvolutionConfig) -> list[ReceptiveField]:
    """Receptive field after each block of a convolutional network: each 3 x 3 filter adds twice its stride.

    Squeeze-and-excitation, which scales whole channels by the mean of their map, sees everything and is left out.
    """
    pixels, step = 1, 1
    for _ in range(2):  # the stem
        pixels, step = pixels + 2 * step, 2 * step
    assert step == STEM_STRIDE
    fields = [ReceptiveField(0, pixels, step)]
    for stage in range(len(config.widths)):
        for block in range(config.blocks):
            pixels += 2 * step
            step *= 2 if stage and not block else 1
            pixels += 2 * step
            fields.append(ReceptiveField(len(fields), pixels, step))
    return fields


def rearrange(pixels: np.ndarray, patch: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The picture unchanged, shifted by a patch, with its patches shuffled, and with the pixels of each patch shuffled.

    Args:
        pixels: `(height, width, 3)` of whole patches; the shift is circular.
    """
    rows, columns = pixels.shape[0] // patch, pixels.shape[1] // patch
    rng = np.random.default_rng(seed)
    patches = pixels.reshape(rows, patch, columns, patch, 3).swapaxes(1, 2).reshape(-1, patch * patch, 3)
    join = lambda shuffled: shuffled.reshape(rows, columns, patch, patch, 3).swapaxes(1, 2).reshape(pixels.shape)  # noqa: E731
    return {
        "kept": pixels,
        "shifted": np.roll(pixels, patch, axis=1),
        "patches": join(patches[rng.permutation(len(patches))]),
        "pixels": join(patches[:, rng.permutation(patch * patch)]),
    }


def move_right(pixels: np.ndarray, by: int) -> np.ndarray:
    """Move a picture `(height, width, 3)` to the right by some pixels; what is uncovered repeats the left edge."""
    return np.pad(pixels, ((0, 0), (by, 0), (0, 0)), mode="edge")[:, : pixels.shape[1]]


@torch.inference_mode()
def predict(network: nn.Module, pictures: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Probabilities `(class,)` of each picture `(height, width, 3)`, within [0, 1]."""
    return {name: _probabilities(network, _tensor(network, pixels)) for name, pixels in pictures.items()}


@torch.inference_mode()
def predict_by_size(network: nn.Module, pixels: np.ndarray) -> dict[int, np.ndarray]:
    """Probabilities of one picture resized to each of `SIZES`; a ViT interpolates its position vectors."""
    whole = _tensor(network, pixels)
    scaled = lambda size: F.interpolate(whole, (size, size), mode="bilinear", antialias=True)  # noqa: E731
    return {size: _probabilities(network, scaled(size)) for size in SIZES}


def _tensor(network: nn.Module, pixels: np.ndarray) -> Tensor:
    like = next(network.parameters())
    tensor = torch.from_numpy(np.ascontiguousarray(pixels)).to(like.device, like.dtype)
    return (tensor * 2 - 1).permute(2, 0, 1)[None]  # (1, 3, height, width)


def _probabilities(network: nn.Module, tensor: Tensor) -> np.ndarray:
    return network(tensor)[0].float().softmax(dim=-1).cpu().numpy()
