"""Pictures given to the API are converted as the page converts uploaded files, pixel by pixel."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps

from model import VisionClassifier
from model.picture_conversion import upright_rgb
from tests.views.controls import colour_profiles
from tests.views.controls.odd_pictures import encoded, photo
from views.controls.pictures import read_picture

PHOTO = photo(40, 24)
LEVELS = np.linspace(0, 65535, 40 * 24).reshape(24, 40)


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(PHOTO, "JPEG", exif=exif, quality=95)


def half_transparent(mode: str) -> bytes:
    picture = PHOTO.convert("L" if mode == "LA" else "RGB")
    picture.putalpha(Image.linear_gradient("L").resize(PHOTO.size))
    return encoded(picture, "PNG")


def palette_with_transparency() -> bytes:
    return encoded(PHOTO.quantize(16), "PNG", transparency=3)


SWAPPED = colour_profiles.rgb(np.eye(3)[:, [1, 2, 0]] @ np.array([[0.4, 0.4, 0.1], [0.2, 0.7, 0.1], [0.0, 0.1, 0.7]]))
FILES = {
    **{f"EXIF orientation {number}": turned(number) for number in range(1, 9)},
    "transparent": half_transparent("RGBA"),
    "transparent grey": half_transparent("LA"),
    "transparent palette": palette_with_transparency(),
    "16 bits": encoded(Image.fromarray(LEVELS.astype(np.uint16)), "PNG"),
    "float": encoded(Image.fromarray(LEVELS.astype(np.float32) - 1000), "TIFF"),
    "32 bits": encoded(Image.fromarray(LEVELS.astype(np.int32)), "TIFF"),
    "one bit": encoded(PHOTO.convert("1"), "PNG"),
    "press colours": encoded(PHOTO.convert("CMYK"), "JPEG"),
    "press colours, TIFF": encoded(PHOTO.convert("CMYK"), "TIFF"),
    "Lab": encoded(
        ImageCms.profileToProfile(PHOTO, *map(ImageCms.createProfile, ("sRGB", "LAB")), outputMode="LAB"), "TIFF"
    ),
    "luma and chroma": encoded(PHOTO.convert("YCbCr"), "TIFF"),
    "float from 0 to 1": encoded(Image.fromarray((LEVELS / 65535).astype(np.float32)), "TIFF"),
    "16 bits, the other order of bytes": encoded(Image.fromarray(LEVELS.astype(">u2")), "TIFF"),
    "palette with levels of transparency": encoded(PHOTO.quantize(4), "PNG", transparency=bytes([0, 128, 255, 255])),
    "animated PNG": encoded(PHOTO, "PNG", save_all=True, append_images=[ImageOps.invert(PHOTO)]),
    "animated WebP": encoded(PHOTO, "WEBP", lossless=True, save_all=True, append_images=[ImageOps.invert(PHOTO)]),
    "own profile": encoded(PHOTO, "PNG", icc_profile=SWAPPED),
    "grey profile": encoded(PHOTO.convert("L"), "PNG", icc_profile=colour_profiles.grey(1.0)),
    "profile of another kind": encoded(PHOTO, "PNG", icc_profile=colour_profiles.inks()),
    "damaged profile": encoded(PHOTO, "PNG", icc_profile=b"no profile"),
    "animation": encoded(PHOTO.convert("P"), "GIF", save_all=True, append_images=[ImageOps.invert(PHOTO).convert("P")]),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_the_pixels_that_the_page_shows(name: str):
    expected = np.asarray(read_picture(FILES[name]).image)
    given_picture = Image.open(io.BytesIO(FILES[name]))
    converted = upright_rgb(given_picture)
    assert converted.mode == "RGB" and "icc_profile" not in converted.info
    np.testing.assert_allclose(np.asarray(converted), expected, atol=1 if "profile" in name else 0)
    assert np.asarray(upright_rgb(converted)).tolist() == np.asarray(converted).tolist()  # nothing is done twice


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["1", "L", "RGB", "RGBA", "LA", "P", "CMYK", "YCbCr", "HSV", "LAB"]),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_every_mode_becomes_rgb_of_the_same_size(mode: str, width: int, height: int):
    assert (upright_rgb(Image.new(mode, (width, height))).mode, upright_rgb(Image.new(mode, (width, height))).size) == (
        "RGB",
        (width, height),
    )


def test_a_picture_without_a_number_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="no finite number"):
        upright_rgb(Image.fromarray(np.full((4, 4), np.nan, np.float32)))


def test_a_turned_photo_is_classified_as_the_upright_one():
    classifier = VisionClassifier.load()
    upright = photo(128, 128, seed=3)
    exif = Image.Exif()
    exif[0x0112] = 6
    sideways = Image.open(io.BytesIO(encoded(upright.rotate(90), "PNG", exif=exif)))
    np.testing.assert_array_equal(classifier.trace(sideways).logits, classifier.trace(upright).logits)


@pytest.mark.parametrize("picture", ["church.png", None, b"\x89PNG", [[0, 1], [1, 0]]])
def test_what_pillow_has_not_opened_is_refused(picture):
    with pytest.raises(ValueError, match=rf"Image.open\(path\) does; this is a {type(picture).__name__}"):
        upright_rgb(picture)
