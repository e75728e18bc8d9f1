"""Refuse to show numbers that are not finite, for the reason that is found in the network."""

import itertools
import math
from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from .errors import OpenError
from .library_types import Network

LARGEST_HALF = int(torch.finfo(torch.float16).max)


def check_finite(
    network: Network,
    output: Tensor,
    maps: Iterable[np.ndarray] = (),
    *,
    changed: bool = False,
    opening: bool = False,
) -> None:
    """Check what a network has answered, and its attention weights.

    Args:
        changed: whether it ran under an intervention.
        opening: whether it is being opened; afterwards what `is_pooler` names has no influence.

    Raises:
        OpenError: a number is NaN or infinite.
    """
    if not all(map(_is_finite, itertools.chain([output], map(torch.from_numpy, maps)))):
        raise explain_not_finite(network, changed, opening)


def _is_finite(tensor: Tensor) -> bool:
    """Whether all numbers are finite, in one pass: the extremes of a tensor with NaN are NaN."""
    tensor = tensor.float() if tensor.itemsize == 1 else tensor  # no extremes of numbers with 8 bits
    return tensor.numel() == 0 or all(math.isfinite(extreme) for extreme in tensor.aminmax())


@torch.inference_mode()
def explain_not_finite(network: Network, changed: bool, opening: bool) -> OpenError:
    """The reason why a network computes numbers that are not finite; reads all of its weights."""
    parameters, buffers = (
        {name: tensor for name, tensor in tensors if _is_read(tensor) and (opening or not is_pooler(name))}
        for tensors in (network.named_parameters(), network.named_buffers())
    )
    infinite = [name for name, tensor in parameters.items() if not _is_finite(tensor)]
    # a buffer may be a mask of infinite numbers
    missing = [name for name, tensor in (parameters | buffers).items() if bool(tensor.isnan().any())]
    half = any(tensor.dtype == torch.float16 for tensor in parameters.values())
    if missing or (infinite and not half):
        return OpenError(
            "Weights of this model are NaN or infinite, such as {name}, and so is what it computes; load or save the "
            "model again.",
            name=[*missing, *infinite][0],
        )
    if infinite:
        return OpenError(
            "Weights of this model are infinite, such as {name}, as float16 has no numbers above {limit}; open it in "
            "float32 from a copy whose weights are finite.",
            name=infinite[0],
            limit=LARGEST_HALF,
        )
    if changed:
        return OpenError(
            "Under this intervention the model computes numbers that are NaN or infinite, although its weights are "
            "finite; change less."
        )
    if half:
        return OpenError(
            "This model computes numbers that are NaN or infinite, although its weights are finite, as float16 has no "
            "numbers above {limit}; open it in float32 (dtype='float32', or model.float() of a live model).",
            limit=LARGEST_HALF,
        )
    return OpenError(
        "This model computes numbers that are NaN or infinite, although its weights are finite; try another input, or "
        "load or save the model again."
    )


def is_pooler(name: str) -> bool:
    """Whether a tensor of a body belongs to what follows its last hidden states, by its name alone.

    `model.hub.loading` opens a body without it, with NaN in its place.
    """
    return any("pool" in part for part in name.split(".")) or name.startswith("head.")


def _is_read(tensor: Tensor) -> bool:
    """Whether a tensor has numbers that can be read: not those of another process or on disk, and no whole numbers."""
    return not tensor.is_meta and tensor.is_floating_point()
