"""The filters as small pictures."""

import base64
import io
import re

import numpy as np
from PIL import Image

from views.html.filters import filters


def decode_image(html: str, place: int = 0) -> np.ndarray:
    data = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", html)[place]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


def test_filters_are_grey_at_zero_and_reach_the_ends():
    components = np.zeros((2, 4, 4, 3))
    components[0, 0, 0, 0], components[0, 1, 1, 1] = 0.5, -0.25
    components[1, 0, 0, 0] = -0.1
    html = filters(components, np.array([0.6, 0.25]))
    first, second = decode_image(html, 0), decode_image(html, 1)
    assert first[0, 0].tolist() == [255, 128, 128]
    assert first[1, 1].tolist() == [128, 64, 128]
    assert second[0, 0].tolist() == [0, 128, 128]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", html) == ["60.0\u00a0%", "25.0\u00a0%"]
