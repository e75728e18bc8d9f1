"""Pictures of any format, size and orientation are read correctly, and only their pixels are stored."""

from __future__ import annotations

import hashlib
import io
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.views.controls.odd_pictures import SCRIPT, encoded, photo
from tests.views.controls.reading_pictures import FAST, LOSSLESS, pixels
from views.controls import pictures
from views.controls.pictures import read_picture

COLOURS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[0, 0, 0], [255, 255, 255], [10, 200, 90]]], np.uint8)


@pytest.mark.parametrize("form", LOSSLESS)
def test_every_lossless_format_gives_its_pixels(form):
    content = encoded(Image.fromarray(COLOURS), form, **LOSSLESS[form])
    picture = read_picture(content)
    assert np.array_equal(pixels(picture), COLOURS)
    assert (picture.format, picture.size, picture.notes) == (form, (3, 2), ())
    assert picture.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("progressive", [False, True])
def test_jpeg_gives_its_pixels_nearly(progressive):
    source = photo()
    picture = read_picture(encoded(source, "JPEG", quality=95, progressive=progressive))
    assert np.abs(pixels(picture).astype(int) - np.asarray(source)).mean() < 4
    assert picture.format == "JPEG"


def test_a_picture_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        read_picture(encoded(photo())).size = (1, 1)


@pytest.mark.parametrize("size", [(1, 1), (1, 4000), (4000, 1)])
def test_thin_pictures_are_not_reduced(size):
    source = photo(*size)
    picture = read_picture(encoded(source))
    assert picture.size == picture.image.size == size
    assert np.array_equal(pixels(picture), np.asarray(source))


@pytest.mark.parametrize("size", [(1_000_000, 1), (1, 60_000)])
def test_extremely_thin_pictures_become_shorter(size):
    picture = read_picture(encoded(Image.new("RGB", size, (9, 99, 200))))
    assert picture.size == size
    assert sorted(picture.image.size) == [1, pictures.WORKING_SIDE]
    assert (pixels(picture) == (9, 99, 200)).all()


def test_large_pictures_are_averaged_to_a_small_copy():
    stripes = np.zeros((3000, 4000, 3), np.uint8)
    stripes[:, ::2] = 200  # columns 200, 0, 200, 0: a mean of 100
    stripes[2000:] = (10, 20, 30)
    picture = read_picture(encoded(Image.fromarray(stripes)))
    width, height = picture.image.size
    assert picture.size == (4000, 3000)
    assert 0.95 * pictures.WORKING_PIXELS < width * height <= pictures.WORKING_PIXELS
    assert width / height == pytest.approx(4 / 3, rel=0.002)
    inside = pixels(picture)[: int(height * 0.65), 4:-4].astype(int)  # away from the edge, where a stripe is cut
    assert np.abs(inside - 100).max() <= 2
    assert (pixels(picture)[int(height * 0.68) :] == (10, 20, 30)).all()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_small_copy_does_not_shift(form):
    quarters = Image.new("RGB", (3001, 2003), (200, 30, 30))
    quarters.paste((30, 30, 200), (1501, 0, 3001, 2003))
    picture = read_picture(encoded(quarters, form, **FAST.get(form, {})))
    red = (pixels(picture)[..., 0] > 115).mean()
    assert red == pytest.approx(1501 / 3001, abs=0.001)


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_exif_orientation(form, turn):
    """Corners of the stored picture are displayed as by the EXIF standard (2.32, section 4.6.4)."""
    corners = np.zeros((32, 64, 3), np.uint8)
    marks = {"top left": (250, 0, 0), "top right": (0, 250, 0), "bottom left": (0, 0, 250)}
    corners[:16, :32], corners[:16, 32:], corners[16:, :32] = marks.values()
    exif = Image.Exif()
    exif[0x0112] = turn
    content = encoded(Image.fromarray(corners), form, exif=exif, **({"lossless": True} if form == "WEBP" else {}))
    picture = read_picture(content)
    turned = pixels(picture)
    # displayed position of the stored top row and of the stored left column
    row, column = {
        1: ("top", "left"),
        2: ("top", "right"),
        3: ("bottom", "right"),
        4: ("bottom", "left"),
        5: ("left", "top"),
        6: ("right", "top"),
        7: ("right", "bottom"),
        8: ("left", "bottom"),
    }[turn]
    vertical = {row, column} & {"top", "bottom"}
    horizontal = {row, column} & {"left", "right"}
    y, x = (8 if vertical == {"top"} else -9), (8 if horizontal == {"left"} else -9)
    assert np.abs(turned[y, x].astype(int) - marks["top left"]).max() < 12
    opposite = {8: -9, -9: 8}
    along_row = (y, opposite[x]) if row in ("top", "bottom") else (opposite[y], x)
    assert np.abs(turned[along_row].astype(int) - marks["top right"]).max() < 12
    assert picture.size == picture.image.size == ((64, 32) if turn < 5 else (32, 64))
    assert picture.notes == (() if turn == 1 else (pictures.TURNED,))


def test_unreadable_exif_is_ignored():
    content = encoded(photo(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff nonsense")
    assert read_picture(content).notes == ()
    exif = Image.Exif()
    exif[0x0112] = 77
    assert read_picture(encoded(photo(), exif=exif)).notes == ()


def test_metadata_is_dropped():
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Comment", SCRIPT)
    texts.add_itxt("XML:com.adobe.xmp", SCRIPT)
    exif = Image.Exif()
    exif[0x010E] = SCRIPT  # description
    exif[0x9286] = SCRIPT.encode()  # user comment
    profile = SCRIPT.encode() * 5
    for content in (
        encoded(photo(), pnginfo=texts, exif=exif, icc_profile=profile),
        encoded(photo(), "JPEG", exif=exif, icc_profile=profile, comment=SCRIPT),
        encoded(photo(), "TIFF", exif=exif, icc_profile=profile),
        encoded(photo(), "WEBP", exif=exif, icc_profile=profile, xmp=SCRIPT.encode()),
        encoded(photo(), "GIF", comment=SCRIPT),
    ):
        assert content.count(b"<script>") >= 1
        picture = read_picture(content)
        assert picture.image.info == {}
        assert len(picture.image.getexif()) == 0
        assert b"script" not in encoded(picture.image)
        assert "script" not in repr(picture)


def test_reading_is_deterministic():
    content = encoded(photo(2000, 1500), "JPEG")
    first, second = read_picture(content), read_picture(content)
    assert np.array_equal(pixels(first), pixels(second))
    assert first.sha256 == second.sha256
    assert Image.open(io.BytesIO(content)).size == first.size
