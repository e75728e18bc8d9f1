"""Every way to store colours and frames gives the first frame in RGB, over white where it is transparent."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from PIL import Image, ImageCms

from tests.views.controls.odd_pictures import encoded, photo, png, png_chunk
from tests.views.controls.reading_pictures import LOSSLESS, pixels, refusal
from views.controls import pictures
from views.controls.pictures import read_picture


def test_cmyk():
    inks = np.array([[[255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0], [0, 0, 0, 255], [0, 0, 0, 0]]], np.uint8)
    picture = read_picture(encoded(Image.fromarray(inks, "CMYK"), "TIFF"))
    assert pixels(picture).tolist() == [[[0, 255, 255], [255, 0, 255], [255, 255, 0], [0, 0, 0], [255, 255, 255]]]
    half = read_picture(encoded(Image.new("CMYK", (16, 16), (0, 128, 255, 51)), "JPEG", quality=100))
    # red (1 - 0)(1 - 0.2), green (1 - 0.5)(1 - 0.2), blue 0
    assert np.abs(pixels(half)[8, 8].astype(int) - (204, 102, 0)).max() <= 2


def test_sixteen_bit_grey_is_scaled_not_cut():
    levels = np.array([[0, 128, 129, 257, 32768, 65406, 65535]], np.uint16)
    for form in ("PNG", "TIFF"):
        picture = read_picture(encoded(Image.fromarray(levels), form))
        assert pixels(picture)[0, :, 0].tolist() == [0, 0, 1, 1, 128, 254, 255]
        assert picture.notes == ()


def test_sixteen_bit_grey_is_correct_when_reduced():
    levels = np.full((1500, 2000), 40_000, np.uint16)
    assert (pixels(read_picture(encoded(Image.fromarray(levels)))) == 156).all()  # 40000 / 257 = 155.6


def test_sixteen_bit_transparent_level():
    rows = b"\0" + struct.pack(">HHH", 0, 1000, 65535)
    picture = read_picture(png(3, 1, 16, 0, rows, png_chunk(b"tRNS", struct.pack(">H", 1000))))
    assert pixels(picture)[0, :, 0].tolist() == [0, 255, 255]
    assert picture.notes == (pictures.ON_WHITE,)


def test_sixteen_bit_colour_and_alpha():
    rows = b"\0" + struct.pack(">HHH", 65535, 32896, 0)
    assert pixels(read_picture(png(1, 1, 16, 2, rows))).tolist() == [[[255, 128, 0]]]
    rows = b"\0" + struct.pack(">HHHH", 65535, 0, 0, 0)
    assert pixels(read_picture(png(1, 1, 16, 6, rows))).tolist() == [[[255, 255, 255]]]


def test_palette_with_transparency():
    colours = png_chunk(b"PLTE", bytes([255, 0, 0, 0, 255, 0, 0, 0, 255]))
    opacity = png_chunk(b"tRNS", bytes([255, 0, 51]))
    picture = read_picture(png(3, 1, 8, 3, b"\0\0\1\2", colours, opacity))
    # the last: 0.2 blue over white
    assert pixels(picture).tolist() == [[[255, 0, 0], [255, 255, 255], [204, 204, 255]]]
    assert picture.notes == (pictures.ON_WHITE,)
    assert read_picture(png(3, 1, 8, 3, b"\0\0\1\2", colours)).notes == ()


def test_transparency_over_white_is_correct_when_reduced():
    see_through = np.zeros((2048, 2048, 4), np.uint8)
    see_through[:, ::2, 3] = 255  # black columns between invisible black ones
    picture = read_picture(encoded(Image.fromarray(see_through, "RGBA")))
    assert np.abs(pixels(picture)[:, 4:-4].astype(int) - 127.5).max() <= 1
    opaque = Image.new("RGBA", (4, 4), (1, 2, 3, 255))
    assert read_picture(encoded(opaque)).notes == ()


@pytest.mark.parametrize("form", ["WEBP", "TIFF", "PNG"])
def test_transparent_formats(form):
    half = Image.new("RGBA", (4, 4), (255, 0, 0, 51))
    picture = read_picture(encoded(half, form, **LOSSLESS[form]))
    assert np.abs(pixels(picture).astype(int) - (255, 204, 204)).max() <= 1
    assert picture.notes == (pictures.ON_WHITE,)


@pytest.mark.parametrize(
    ("mode", "value", "expected"), [("1", 1, 255), ("L", 77, 77), ("LA", (0, 255), 0), ("LA", (0, 0), 255), ("P", 0, 0)]
)
def test_grey_and_two_levels(mode, value, expected):
    assert (pixels(read_picture(encoded(Image.new(mode, (5, 4), value)))) == expected).all()


def test_values_without_a_range_are_stretched():
    levels = np.array([[-4.0, 0.0, 4.0, np.nan, np.inf]], np.float32)
    picture = read_picture(encoded(Image.fromarray(levels), "TIFF"))
    assert pixels(picture)[0, :, 0].tolist() == [0, 128, 255, 0, 255]
    assert picture.notes == (pictures.STRETCHED,)
    flat = read_picture(encoded(Image.fromarray(np.full((2, 2), 7, np.int32)), "TIFF"))
    assert (pixels(flat) == 0).all()
    refusal(encoded(Image.fromarray(np.full((2, 2), np.nan, np.float32)), "TIFF"))


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP", "TIFF"])
def test_first_frame(form):
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "lime", "blue")]
    picture = read_picture(encoded(frames[0], form, save_all=True, append_images=frames[1:], **LOSSLESS[form]))
    assert (pixels(picture) == (255, 0, 0)).all()
    assert picture.notes == (pictures.PAGES if form == "TIFF" else pictures.ANIMATION,)


def test_transparent_animation():
    frames = [Image.new("RGBA", (8, 8), (0, 0, 0, 0)), Image.new("RGBA", (8, 8), "blue")]
    frames[0].putpixel((0, 0), (255, 0, 0, 255))
    picture = read_picture(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=2))
    assert pixels(picture)[0, :2].tolist() == [[255, 0, 0], [255, 255, 255]]
    assert picture.notes == (pictures.ON_WHITE, pictures.ANIMATION)


def test_two_pictures_in_one_jpeg():
    content = encoded(photo(), "MPO", save_all=True, append_images=[photo(seed=1)])
    picture = read_picture(content)
    assert (picture.format, picture.notes) == ("JPEG", ())
    assert np.abs(pixels(picture).astype(int) - np.asarray(photo())).mean() < 8


@pytest.mark.parametrize("with_profile", [True, False])
def test_lab_has_its_colours_and_no_transparent_parts(with_profile: bool):
    colours = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    profiles = [ImageCms.createProfile(name) for name in ("sRGB", "LAB")]
    lab = ImageCms.applyTransform(Image.fromarray(colours), ImageCms.buildTransform(*profiles, "RGB", "LAB"))
    options = {} if with_profile else {"icc_profile": b""}
    picture = read_picture(encoded(lab, "TIFF", **options))
    assert picture.notes == ()
    assert np.abs(np.asarray(picture.image).astype(int) - colours).mean() < 3  # Lab has 8 bits a channel too
