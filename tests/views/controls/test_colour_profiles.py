"""Colours with a profile are converted to sRGB; separate formulas give the expected values."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageCms

from tests.views.controls import colour_profiles as made
from tests.views.controls.odd_pictures import encoded, photo
from tests.views.controls.reading_pictures import LOSSLESS, pixels
from views.components.picture_strip import thumbnail
from views.controls import colour_profiles
from views.controls.colour_profiles import CONVERTED, UNUSABLE
from views.controls.pictures import ON_WHITE, TURNED, read_picture

SWAPPED = made.rgb(made.SRGB[:, ::-1])  # its red is blue
DISPLAY_P3 = made.rgb(made.DISPLAY_P3)
COLOURS = np.random.default_rng(0).integers(0, 256, (24, 32, 3), dtype=np.uint8)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
def test_swapped_channels_are_corrected(form):
    picture = read_picture(encoded(Image.fromarray(COLOURS), form, icc_profile=SWAPPED, **LOSSLESS[form]))
    assert np.abs(pixels(picture).astype(int) - COLOURS[..., ::-1]).max() <= 1
    assert picture.notes == (CONVERTED,)


def test_a_jpeg_with_a_profile():
    picture = read_picture(encoded(photo(), "JPEG", quality=95, icc_profile=SWAPPED))
    assert np.abs(pixels(picture).astype(int) - np.asarray(photo())[..., ::-1]).mean() < 4
    large = read_picture(encoded(photo(3000, 2000), "JPEG", quality=95, icc_profile=SWAPPED))  # read at half its size
    plain = read_picture(encoded(photo(3000, 2000), "JPEG", quality=95))
    assert large.image.size == plain.image.size
    assert np.abs(pixels(large).astype(int) - pixels(plain)[..., ::-1]).max() <= 2


def test_display_p3_is_converted_by_the_formulas():
    picture = read_picture(encoded(Image.fromarray(COLOURS), icc_profile=DISPLAY_P3))
    expected = made.in_srgb(COLOURS, made.DISPLAY_P3)
    assert np.abs(pixels(picture) - expected).max() <= 1.5
    assert np.abs(expected - COLOURS).max() > 20  # without conversion the colours would be wrong
    assert picture.notes == (CONVERTED,)


def test_everything_that_shows_the_picture_has_the_right_colours():
    red = Image.new("RGB", (64, 64), (220, 20, 30))
    one = read_picture(encoded(red, icc_profile=SWAPPED))
    other = read_picture(encoded(Image.new("RGB", (64, 64), (30, 20, 220))))
    assert np.abs(pixels(one).astype(int) - pixels(other)).max() <= 1
    assert not one.image.info  # no profile that could be applied once more
    assert len(thumbnail(one.image)) == len(thumbnail(other.image))


@pytest.mark.parametrize("mode", ["RGB", "P", "L", "RGBA", "LA"])
def test_a_profile_of_srgb_changes_nothing(mode):
    content = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    image = Image.fromarray(COLOURS).convert(mode)
    picture, plain = (read_picture(encoded(image, **options)) for options in ({"icc_profile": content}, {}))
    np.testing.assert_array_equal(pixels(picture), pixels(plain))
    assert picture.notes == ()
    assert read_picture(encoded(Image.fromarray(COLOURS), icc_profile=made.rgb(made.SRGB))).notes == ()


def test_transparency_is_preserved_and_has_no_colour():
    image = Image.new("RGBA", (8, 8), (255, 0, 0, 51))
    exif = Image.Exif()
    exif[0x0112] = 3
    picture = read_picture(encoded(image, icc_profile=SWAPPED, exif=exif))
    assert np.abs(pixels(picture).astype(int) - (204, 204, 255)).max() <= 1
    assert picture.notes == (CONVERTED, ON_WHITE, TURNED)


@pytest.mark.parametrize("mode", ["L", "LA", "I;16"])
def test_grey_levels(mode):
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    image = Image.fromarray(levels.astype(np.uint16) * 257) if mode == "I;16" else Image.fromarray(levels).convert(mode)
    picture = read_picture(encoded(image, icc_profile=made.grey(1.0)))
    light = levels / 255
    expected = 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    assert np.abs(pixels(picture) - expected[..., None]).max() <= 1.5
    assert picture.notes == (CONVERTED,)


@pytest.mark.parametrize("form", ["TIFF", "JPEG"])
def test_inks(form):
    image = Image.new("CMYK", (16, 16), (255, 255, 0, 255))
    image.paste((0, 0, 255, 0), (0, 0, 8, 16))
    picture = read_picture(encoded(image, form, icc_profile=made.inks(), **({"quality": 95} if form == "JPEG" else {})))
    # by the profile yellow alone is black; by Pillow's rule the left half would be yellow and the right half black
    assert pixels(picture)[8, 2].max() <= 12 and pixels(picture)[8, 13].min() >= 243
    assert picture.notes == (CONVERTED,)


def wrong_profiles() -> dict[str, bytes]:
    whole = DISPLAY_P3
    cut = whole[: len(whole) // 2]
    return {
        "nonsense": b"not a profile at all" * 20,
        "cut": cut,
        "head only": whole[:128],
        "noise": whole[:132] + np.random.default_rng(0).bytes(len(whole) - 132),
        "for inks": made.inks(),
        "for grey": made.grey(2.2),
        "no curves": whole.replace(b"TRC", b"XXX"),
        "huge": whole + bytes(colour_profiles.MAX_BYTES),
    }


@pytest.mark.parametrize("name", wrong_profiles())
def test_an_unusable_profile_is_ignored_with_a_note(name):
    image = Image.fromarray(COLOURS)
    form = "TIFF" if name == "huge" else "PNG"
    picture = read_picture(encoded(image, form, icc_profile=wrong_profiles()[name]))
    np.testing.assert_array_equal(pixels(picture), COLOURS)
    assert picture.notes == (UNUSABLE,)
