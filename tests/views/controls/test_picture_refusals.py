"""Files that are no picture, damaged, too large or too costly are refused with one sentence."""

from __future__ import annotations

import struct
import time
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.views.controls.odd_pictures import (
    HTML,
    SVG,
    encoded,
    jpeg_of_scans,
    photo,
    png,
    png_chunk,
    tiff,
    tiff_of_strips,
)
from tests.views.controls.reading_pictures import FAST, pixels, refusal
from views.controls import pictures
from views.controls.pictures import PictureError, read_picture


def test_empty():
    assert "empty" in refusal(b"")


@pytest.mark.parametrize(
    "content", [SVG, HTML, b"GIF", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n", b"\0" * 100, b"%!PS-Adobe-3.0"]
)
def test_no_picture(content):
    assert refusal(content) in (pictures.UNKNOWN(), pictures.DAMAGED())


@pytest.mark.parametrize("content", [SVG, HTML])
def test_the_file_name_does_not_matter(content):
    assert refusal(content) == pictures.UNKNOWN()


@pytest.mark.parametrize("form", ["PPM", "ICO", "TGA", "JPEG2000", "EPS", "PCX", "SGI"])
def test_other_formats_are_not_even_tried(form):
    assert refusal(encoded(photo(32, 32), form)) == pictures.UNKNOWN()


@pytest.mark.parametrize("brand", [b"heic", b"heix", b"hevc", b"mif1", b"msf1"])
def test_pictures_of_phones_are_named(brand):
    """They are recognised by content, whatever the file is called."""
    for others in (b"", b"mif1heic", b"miafMiHE"):
        content = (16 + len(others)).to_bytes(4, "big") + b"ftyp" + brand + bytes(4) + others + bytes(200)
        assert refusal(content) == pictures.PHONE(form="HEIC")


def test_avif_is_named():
    for content in (encoded(photo(32, 32), "AVIF"), b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf" + bytes(50)):
        assert refusal(content) == pictures.PHONE(form="AVIF")


@pytest.mark.parametrize(
    "content", [b"\0\0\0\x18ftypisom\0\0\0\0isommp41" + bytes(50), b"\0\0\0\x10ftyp", b"\xff" * 64]
)
def test_videos_and_partial_headers_are_not_pictures_of_phones(content):
    assert refusal(content) == pictures.UNKNOWN()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "progressive JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_truncated(form):
    options = {"progressive": True} if form.startswith("progressive") else {}
    content = encoded(photo(), form.split()[-1], **options)
    read_picture(content)
    for share in (0.02, 0.1, 0.5, 0.9, 0.97):
        refusal(content[: int(len(content) * share)])


def test_more_than_8_megabytes():
    picture = encoded(photo())
    padded = picture + bytes(pictures.MAX_BYTES - len(picture))
    assert np.array_equal(pixels(read_picture(padded)), np.asarray(photo()))
    assert "8 MB" in refusal(padded + b"\0")


@pytest.mark.parametrize("form", ["PNG", "GIF", "BMP", "TIFF", "WEBP"])
def test_more_than_25_megapixels(form):
    assert "25 megapixels" in refusal(encoded(Image.new("1", (5001, 5000)), form, **FAST.get(form, {})))


def test_25_megapixels_are_enough():
    assert read_picture(encoded(Image.new("1", (5000, 5000)))).size == (5000, 5000)


def test_a_frame_larger_than_its_screen():
    content = bytearray(encoded(Image.new("P", (10, 10)), "GIF"))
    frame = content.index(b",\0\0\0\0")
    content[frame + 5 : frame + 9] = struct.pack("<HH", 9000, 9000)
    assert refusal(bytes(content)) == pictures.TOO_LARGE()


@pytest.mark.parametrize(
    "content",
    [
        tiff_of_strips(40_000),
        tiff((273, 4, 1 << 30, 256), order=">"),
        b"II+\0\x08\0\0\0" + struct.pack("<QQHHQQ", 16, 1, 273, 4, 1 << 40, 0),
        jpeg_of_scans(300),
    ],
    ids=["strips", "big-endian", "BigTIFF", "scans"],
)
def test_costly_files(content):
    began = time.process_time()
    assert refusal(content) == pictures.COSTLY()
    assert time.process_time() - began < 0.5


def test_a_tiff_of_many_strips_is_read():
    assert read_picture(tiff_of_strips(1000)).size == (1000, 1000)


def test_a_text_that_unpacks_to_gigabytes():
    text = b"Comment\0\0" + zlib.compress(bytes(70_000_000), 9)
    rows = b"\0\0"
    assert refusal(png(1, 1, 8, 0, rows, png_chunk(b"zTXt", text), png_chunk(b"zTXt", text))) == pictures.DAMAGED()


SEEDS = [
    *(encoded(photo(48, 40), form) for form in pictures.FORMATS),
    encoded(photo(48, 40), "JPEG", progressive=True),
    encoded(photo(48, 40), "TIFF", compression="tiff_lzw"),
    encoded(photo(48, 40).convert("P"), "GIF", save_all=True, append_images=[photo(48, 40, 1).convert("P")]),
    encoded(photo(48, 40).convert("RGBA"), "WEBP", lossless=True),
    encoded(photo(48, 40).convert("1"), "TIFF", compression="group4"),
    tiff_of_strips(40, 40),
]


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    content = bytearray(data.draw(st.sampled_from(SEEDS)))
    front = min(len(content), 700)  # headers are at the beginning; most changes to pixels only change pixels
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, (front if data.draw(st.booleans()) else len(content)) - 1))
        kind = data.draw(st.sampled_from(("set", "cut", "insert", "number")))
        if kind == "set":
            content[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del content[place : place + data.draw(st.integers(1, 30))]
        elif kind == "insert":
            content[place:place] = data.draw(st.binary(min_size=1, max_size=30))
        else:
            content[place : place + 4] = struct.pack("<I", data.draw(st.sampled_from((0, 1, 255, 65535, 1 << 31))))
        front = min(front, len(content))
        if not content:
            break
    began = time.process_time()
    try:
        picture = read_picture(bytes(content))
    except PictureError as error:
        assert str(error).endswith(".")
    else:
        assert picture.image.mode == "RGB"
        assert picture.image.size[0] * picture.image.size[1] <= pictures.WORKING_PIXELS
        np.asarray(picture.image)
    assert time.process_time() - began < 5


@given(
    st.binary(max_size=200), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"GIF89a", b"BM"])
)
def test_noise_is_refused(noise, mark):
    refusal(mark + noise)
