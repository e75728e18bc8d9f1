"""The forms in which a picture is given to an opened model: of PIL, an array, or what its image processor returns."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

from ..picture_arrays import is_array, picture_of
from ..picture_conversion import upright_rgb
from ..runtime.messages import Template
from ..sentence_check import InputError
from .errors import OpenError

MOST_TIMES = 100  # that one side of a picture is as long as the other
LONGEST_SHOWN = 40  # characters of what was given, in a message
SEVERAL = Template("This model reads one picture at a time; trace several so: [model.trace(one) for one in pictures].")
OR_PROCESSED = Template("{reason}; or give what the model's image processor returns, {form}.")
FORM = '{"pixel_values": ...}'


class ProcessedPixels(np.ndarray):
    """Output of an image processor, `(channel, height, width)` float32, such as `HubTrace.received`.

    Copies, parts, and what is changed in place are of this class too. Results of arithmetic are plain arrays: who
    undoes a normalisation has the colours of a picture.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if out is not None:
            options["out"] = tuple(map(_plain, out))
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        return out[0] if out is not None and len(out) == 1 else result


def as_processed(values: np.ndarray) -> ProcessedPixels:
    """An array as output of an image processor."""
    return np.asarray(values, dtype=np.float32).view(ProcessedPixels)


def one_picture(given: object, channels: int | None = None) -> Image.Image | ProcessedPixels:
    """One picture, or the pixels that an image processor made of it.

    Plain arrays and tensors are pictures, see `model.picture_arrays`. Pixels of a processor are known by their form
    alone: a dictionary with `pixel_values`, or what a trace or `receive` has given.

    Args:
        channels: of the pixels that the model reads; None where it takes none, since pictures go with a text.

    Raises:
        OpenError: it is something else; the message states what to give.
    """
    if isinstance(given, Image.Image):
        return given
    if isinstance(given, Mapping | ProcessedPixels) and (channels is not None or _is_processed(given)):
        if channels is None:
            raise OpenError("Pictures of a text are given as pictures of PIL; make one with Image.fromarray(array).")
        return _read_processed(given, channels)
    if _is_several(given):
        raise OpenError(SEVERAL)
    if is_array(given):
        try:
            return picture_of(given)
        except InputError as error:
            if channels is None:
                raise OpenError(error.template, **error.values) from None
            raise OpenError(OR_PROCESSED, reason=error, form=FORM) from None
    if isinstance(given, str | os.PathLike):
        shown = str(given) if len(str(given)) <= LONGEST_SHOWN else str(given)[: LONGEST_SHOWN - 1] + "\u2026"
        raise OpenError(
            "This model reads pictures, not {given!r}; open a file first: from PIL import Image, then "
            "model.trace(Image.open(path)).",
            given=shown,
        )
    raise OpenError("This model reads pictures; give it one picture, such as Image.open(path) of PIL.")


def upright_picture(picture: Image.Image) -> Image.Image:
    """A picture of PIL as RGB, upright.

    Raises:
        OpenError: it cannot be read, or is a strip, which processors that resize the shorter side would make huge.
    """
    try:
        upright = upright_rgb(picture)
    except InputError as error:
        raise OpenError(error.template, **error.values) from None
    if max(upright.size) > MOST_TIMES * min(upright.size):
        raise OpenError(
            "This picture of {width} x {height} pixels has one side more than {most} times as long as the other; cut "
            "out the part that matters.",
            width=upright.width,
            height=upright.height,
            most=MOST_TIMES,
        )
    return upright


def _read_processed(given: Mapping[Any, Any] | ProcessedPixels, channels: int) -> ProcessedPixels:
    """The pixels of one picture, from what an image processor returns, or as a trace has them.

    Raises:
        OpenError: there are none, or of several pictures, or of another form.
    """
    values: Any = given.get("pixel_values") if isinstance(given, Mapping) else given
    if values is None:
        raise OpenError("This has no pixel_values; give a picture, or what the model's image processor returns.")
    if isinstance(values, list | tuple) and any(map(is_array, values)):
        if len(values) > 1:
            raise OpenError(SEVERAL)
        values = values[0]
    try:
        array = np.asarray(values.detach().cpu().float() if hasattr(values, "detach") else values, dtype=np.float32)
    except (TypeError, ValueError):
        raise OpenError("pixel_values has no numbers; give it as the model's image processor returns it.") from None
    if array.ndim == 4 and array.shape[0] > 1:
        raise OpenError(SEVERAL)
    picture = array[0] if array.ndim == 4 and array.shape[0] == 1 else array
    if picture.ndim != 3 or picture.shape[0] != channels or not picture.size:
        raise OpenError(
            "Pixels from this model's image processor have the shape {channels} x height x width, and these {shape}; "
            "give what the processor returns, or the picture itself.",
            channels=channels,
            shape=" x ".join(map(str, array.shape)) or "1",
        )
    if not np.isfinite(picture).all():
        raise OpenError("pixel_values has numbers that are not finite; prepare the picture again.")
    return as_processed(picture)


def _is_processed(given: object) -> bool:
    return isinstance(given, ProcessedPixels) or (isinstance(given, Mapping) and "pixel_values" in given)


def _is_several(given: Any) -> bool:
    """Whether this is a list of pictures, or a batch of several."""
    if isinstance(given, list | tuple):
        return any(isinstance(one, Image.Image | Mapping) or is_array(one) for one in given)
    return is_array(given) and given.ndim == 4 and given.shape[0] > 1


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, ProcessedPixels) else value
