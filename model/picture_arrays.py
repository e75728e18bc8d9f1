"""Arrays and tensors in place of pictures: uint8 or float, channels last or first, grey, RGB or RGBA."""

from typing import Any, TypeGuard

import numpy as np
from PIL import Image

from .runtime.messages import Template
from .sentence_check import InputError

CHANNELS = (1, 2, 3, 4)  # grey, grey with alpha, RGB, RGBA
OTHER_SHAPE = Template(
    "A picture is an array (height, width), (height, width, channels) or (channels, height, width) with 1, 3 or 4 "
    "channels, not {shape}; give one such array, or a picture of PIL."
)

FLOATS = Template(
    "The floats of a picture go from 0 to 1, and these from {low:.3g} to {high:.3g}; give bytes from 0 to 255 as "
    "uint8, or floats from 0 to 1, of the picture before it is normalised."
)
WHOLE = Template("The whole numbers of a picture go from 0 to 255, and these from {low:.0f} to {high:.0f}; give bytes.")
ROUNDING = 1e-5  # of floats that were computed


def is_array(given: object) -> TypeGuard[Any]:
    """Whether a value is an array of NumPy, or a tensor."""
    return isinstance(given, np.ndarray) or hasattr(given, "detach")


def picture_of(given: Any) -> Image.Image:
    """The picture of an array or tensor of RGB, grey, or either with alpha.

    Whole numbers go from 0 to 255, of uint16 to 65,535, and floats from 0 to 1. A batch of one picture is that picture.

    Raises:
        InputError: it has the shape of no picture, or other numbers, such as those after normalisation.
    """
    array = np.asarray(given.detach().cpu().float() if hasattr(given, "detach") else given)
    if hasattr(given, "detach") and not given.is_floating_point():
        array = given.detach().cpu().numpy()
    shape = " x ".join(map(str, array.shape))
    if array.ndim == 4 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 3 and array.shape[2] not in CHANNELS and array.shape[0] in CHANNELS:
        array = array.transpose(1, 2, 0)  # (height, width, channels)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in CHANNELS) or 0 in array.shape:
        raise InputError(OTHER_SHAPE, shape=shape)
    return Image.fromarray(_to_bytes(array if array.ndim == 2 or array.shape[2] > 1 else array[:, :, 0]))


def _to_bytes(array: np.ndarray) -> np.ndarray:
    """Numbers of a picture as bytes.

    Raises:
        InputError: they are no brightnesses.
    """
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    if array.dtype == bool:
        return array.astype(np.uint8) * 255
    if array.dtype.kind not in "iuf":
        raise InputError(
            "The array of a picture has numbers, not {kind}; give bytes from 0 to 255.", kind=array.dtype.name
        )
    low, high = float(array.min()), float(array.max())
    if array.dtype == np.uint16 and high > 255:
        return np.round(array / 257).astype(np.uint8)
    is_float = array.dtype.kind == "f"
    if not (low >= -ROUNDING and high <= (1 + ROUNDING if is_float else 255)):  # also where one is not a number
        raise InputError(FLOATS if is_float else WHOLE, low=low, high=high)
    return np.round(array.clip(0, 1).astype(np.float64) * 255 if is_float else array).astype(np.uint8)
