"""Helpers for the tests of reading pictures."""

from __future__ import annotations

import numpy as np
import pytest

from views.controls.pictures import Picture, PictureError, read_picture

FAST = {"TIFF": {"compression": "tiff_deflate"}, "WEBP": {"method": 0}, "PNG": {"compress_level": 1}}
LOSSLESS = {"PNG": {}, "WEBP": {"lossless": True}, "BMP": {}, "TIFF": {}, "GIF": {}}


def pixels(picture: Picture) -> np.ndarray:
    """`(row, column, channel)` of the picture."""
    assert picture.image.mode == "RGB"
    return np.asarray(picture.image)


def refusal(content: bytes) -> str:
    """The sentence with which `content` is refused."""
    with pytest.raises(PictureError) as refused:
        read_picture(content)
    sentence = str(refused.value)
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 160
    return sentence
