"""A patch on its way to a vector, drawn; the sequence; the filters."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
from PIL import Image

from views import palette, patches
from views.svg import patch

SVG = "{http://www.w3.org/2000/svg}"
PATCH = np.random.default_rng(0).random((4, 4, 3))
VECTOR = patches.flattened(PATCH)
EMBEDDING = np.random.default_rng(1).normal(size=10)


def rectangles() -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(patch.steps(PATCH, VECTOR, EMBEDDING)).iter(f"{SVG}rect"))


def values(cells: list[ElementTree.Element]) -> list[float]:
    return [float(cell.find(f"{SVG}title").text.rsplit(": ", 1)[1]) for cell in cells]


def test_pixels_planes_vector_and_embedding_are_all_there():
    cells = rectangles()
    assert len(cells) == 16 + 3 * 16 + 48 + 10
    red, green, blue = (255 * PATCH[0, 0]).round().astype(int)
    assert cells[0].get("fill") == f"#{red:02X}{green:02X}{blue:02X}"
    assert cells[16].get("fill") == f"#{red:02X}0000"
    assert cells[32].get("fill") == f"#00{green:02X}00"
    np.testing.assert_allclose(values(cells[16:64]), PATCH.transpose(2, 0, 1).ravel(), rtol=1e-6)
    np.testing.assert_allclose(values(cells[64:112]), VECTOR, rtol=1e-6)
    np.testing.assert_allclose(values(cells[112:]), EMBEDDING, rtol=1e-6)
    assert cells[112].get("fill") == palette.HUES["vision"]


def test_bars_are_as_long_as_their_values():
    bars = rectangles()[112:]
    lengths = np.array([float(bar.get("height")) for bar in bars])
    wanted = np.maximum(0.4, 48 * np.abs(EMBEDDING) / np.abs(EMBEDDING).max())
    np.testing.assert_allclose(lengths, wanted, atol=0.01)
    tops = np.array([float(bar.get("y")) for bar in bars])
    feet = tops + lengths
    middle = tops[EMBEDDING < 0][0]
    np.testing.assert_allclose(feet[EMBEDDING > 0], middle, atol=0.02)
    np.testing.assert_allclose(tops[EMBEDDING < 0], middle, atol=0.02)


def decoded(html: str, place: int = 0) -> np.ndarray:
    data = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", html)[place]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


def test_the_strip_has_cls_in_front_and_marks_the_chosen_patch():
    pixels = np.random.default_rng(2).integers(0, 256, (2, 12, 3)).astype(np.uint8)  # six patches of 2 x 2
    html = patch.strip(pixels, columns=3, chosen=5)
    items = re.findall(r"<span.*?</span>", html)
    assert len(items) == 7
    assert "CLS" in items[0]
    assert [place for place, item in enumerate(items) if "aa-chosen-patch" in item] == [5]
    assert 'title="position 5: row 2, column 2"' in items[5]
    np.testing.assert_array_equal(decoded(html), pixels)


def test_filters_are_grey_at_zero_and_reach_the_ends():
    components = np.zeros((2, 4, 4, 3))
    components[0, 0, 0, 0], components[0, 1, 1, 1] = 0.5, -0.25
    components[1, 0, 0, 0] = -0.1
    html = patch.filters(components, np.array([0.6, 0.25]))
    first, second = decoded(html, 0), decoded(html, 1)
    assert first[0, 0].tolist() == [255, 128, 128]
    assert first[1, 1].tolist() == [128, 64, 128]
    assert second[0, 0].tolist() == [0, 128, 128]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", html) == ["60.0 %", "25.0 %"]
