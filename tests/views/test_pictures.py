"""Whatever is uploaded becomes a correct picture or one sentence, quickly, in bounded memory, and not on disk."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import subprocess
import sys
import time
import zlib
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from tests.browser.app_server import ROOT
from tests.views.odd_pictures import (
    HTML,
    SCRIPT,
    SVG,
    encoded,
    jpeg_of_scans,
    photo,
    png,
    png_bomb,
    png_chunk,
    tiff,
    tiff_of_strips,
)
from views import pictures
from views.pictures import Picture, PictureError, read_picture

COLOURS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[0, 0, 0], [255, 255, 255], [10, 200, 90]]], np.uint8)
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


# Correct pictures


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
def test_thin_pictures_keep_every_pixel(size):
    source = photo(*size)
    picture = read_picture(encoded(source))
    assert picture.size == picture.image.size == size
    assert np.array_equal(pixels(picture), np.asarray(source))


@pytest.mark.parametrize("size", [(1_000_000, 1), (1, 60_000)])
def test_extremely_thin_pictures_become_shorter(size):
    picture = read_picture(encoded(Image.new("RGB", size, (9, 99, 200))))
    assert picture.size == size
    assert sorted(picture.image.size) == [1, pictures.KEPT_SIDE]
    assert (pixels(picture) == (9, 99, 200)).all()


def test_large_pictures_are_averaged_to_a_small_copy():
    stripes = np.zeros((3000, 4000, 3), np.uint8)
    stripes[:, ::2] = 200  # columns 200, 0, 200, 0: a mean of 100
    stripes[2000:] = (10, 20, 30)
    picture = read_picture(encoded(Image.fromarray(stripes)))
    width, height = picture.image.size
    assert picture.size == (4000, 3000)
    assert 0.95 * pictures.KEPT_PIXELS < width * height <= pictures.KEPT_PIXELS
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
    """Corners of the stored picture, and where the EXIF standard (2.32, section 4.6.4) says they are seen."""
    corners = np.zeros((32, 64, 3), np.uint8)
    marks = {"top left": (250, 0, 0), "top right": (0, 250, 0), "bottom left": (0, 0, 250)}
    corners[:16, :32], corners[:16, 32:], corners[16:, :32] = marks.values()
    exif = Image.Exif()
    exif[0x0112] = turn
    content = encoded(Image.fromarray(corners), form, exif=exif, **({"lossless": True} if form == "WEBP" else {}))
    picture = read_picture(content)
    shown = pixels(picture)
    # seen place of the stored top row and of the stored left column
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
    assert np.abs(shown[y, x].astype(int) - marks["top left"]).max() < 12
    opposite = {8: -9, -9: 8}
    along_row = (y, opposite[x]) if row in ("top", "bottom") else (opposite[y], x)
    assert np.abs(shown[along_row].astype(int) - marks["top right"]).max() < 12
    assert picture.size == picture.image.size == ((64, 32) if turn < 5 else (32, 64))
    assert picture.notes == (() if turn == 1 else (pictures.TURNED,))


def test_unreadable_exif_costs_nothing():
    content = encoded(photo(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff nonsense")
    assert read_picture(content).notes == ()
    exif = Image.Exif()
    exif[0x0112] = 77
    assert read_picture(encoded(photo(), exif=exif)).notes == ()


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


def test_sixteen_bit_grey_stays_right_when_made_small():
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


def test_transparency_over_white_stays_right_when_made_small():
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
    ("mode", "value", "seen"), [("1", 1, 255), ("L", 77, 77), ("LA", (0, 255), 0), ("LA", (0, 0), 255), ("P", 0, 0)]
)
def test_grey_and_two_levels(mode, value, seen):
    assert (pixels(read_picture(encoded(Image.new(mode, (5, 4), value)))) == seen).all()


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


# Refused


def test_empty():
    assert "empty" in refusal(b"")


@pytest.mark.parametrize(
    "content", [SVG, HTML, b"GIF", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n", b"\0" * 100, b"%!PS-Adobe-3.0"]
)
def test_no_picture(content):
    assert refusal(content) in (pictures.UNKNOWN, pictures.DAMAGED)


@pytest.mark.parametrize("content", [SVG, HTML])
def test_a_name_is_no_format(content):
    assert refusal(content) == pictures.UNKNOWN


@pytest.mark.parametrize("form", ["AVIF", "PPM", "ICO", "TGA", "JPEG2000", "EPS", "PCX", "SGI"])
def test_other_formats_are_not_even_tried(form):
    assert refusal(encoded(photo(32, 32), form)) == pictures.UNKNOWN


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
    assert refusal(bytes(content)) == pictures.TOO_LARGE


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
    assert refusal(content) == pictures.COSTLY
    assert time.process_time() - began < 0.5


def test_a_tiff_of_many_strips_is_read():
    assert read_picture(tiff_of_strips(1000)).size == (1000, 1000)


def test_a_text_that_unpacks_to_gigabytes():
    text = b"Comment\0\0" + zlib.compress(bytes(70_000_000), 9)
    rows = b"\0\0"
    assert refusal(png(1, 1, 8, 0, rows, png_chunk(b"zTXt", text), png_chunk(b"zTXt", text))) == pictures.DAMAGED


# What reading costs

_MEASURED = """
import json, resource, sys, time
from views.pictures import PictureError, read_picture
content = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
try:
    answer = list(read_picture(content).size)
except PictureError as error:
    answer = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([answer, (peak - before) / 1024, time.process_time() - began]))
"""


def cost(content: bytes) -> tuple[object, float, float]:
    """Answer, megabytes that reading added at its peak, and seconds, in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURED], input=content, cwd=ROOT, capture_output=True, check=True, timeout=120
    )
    return tuple(json.loads(ran.stdout))


def test_a_smaller_bomb_is_a_picture():
    assert read_picture(png_bomb(2000)).size == (2000, 2000)


def test_a_bomb_is_refused_before_it_is_decoded():
    bomb = png_bomb(30_000)
    assert len(bomb) < 1_000_000
    answer, megabytes, seconds = cost(bomb)
    assert answer == pictures.TOO_LARGE
    assert megabytes < 30
    assert seconds < 1


@pytest.mark.parametrize(
    ("form", "mode", "most"),
    [("PNG", "RGB", 160), ("PNG", "RGBA", 160), ("PNG", "P", 100), ("TIFF", "CMYK", 260), ("TIFF", "F", 260)]
    + [("JPEG", "RGB", 60), ("GIF", "P", 160), ("BMP", "1", 100), ("WEBP", "RGB", 450)],
)
def test_memory_for_25_megapixels(form, mode, most):
    content = encoded(Image.new(mode, (5000, 5000)), form, **FAST.get(form, {}))
    answer, megabytes, _ = cost(content)
    assert answer == [5000, 5000]
    assert megabytes < most


def test_nothing_is_written(tmp_path, monkeypatch):
    """Opening any file for writing, or making a temporary one, fails the test."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from views.pictures import PictureError, read_picture
from PIL import Image; Image.init()
import os
def watch(event, args):
    if event == "open" and (args[1] not in ("r", "rb", None) or args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
        sys.stderr.write(f"wrote {{args}}"); os._exit(3)
    if event in ("tempfile.mkstemp", "tempfile.mkdtemp", "os.mkdir", "subprocess.Popen", "os.system", "socket.connect"):
        sys.stderr.write(event); os._exit(4)
sys.addaudithook(watch)
import struct
data = sys.stdin.buffer
while head := data.read(4):
    try:
        read_picture(data.read(struct.unpack("<I", head)[0]))
    except PictureError:
        pass
"""
    contents = [encoded(photo(), form) for form in pictures.FORMATS]
    contents += [content[: len(content) // 2] for content in contents] + [HTML, SVG, jpeg_of_scans(300)]
    contents += [encoded(photo(), "TIFF", compression="tiff_lzw"), encoded(photo(32, 32), "EPS")]
    fed = b"".join(struct.pack("<I", len(content)) + content for content in contents)
    ran = subprocess.run([sys.executable, "-c", script], input=fed, cwd=tmp_path, capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stderr.decode()
    assert list(tmp_path.iterdir()) == []


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
def test_damaged_files_never_break_anything(data):
    content = bytearray(data.draw(st.sampled_from(SEEDS)))
    front = min(len(content), 700)  # headers stand in front; most changes to pixels only change pixels
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
        assert picture.image.size[0] * picture.image.size[1] <= pictures.KEPT_PIXELS
        np.asarray(picture.image)
    assert time.process_time() - began < 5


@given(
    st.binary(max_size=200), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"GIF89a", b"BM"])
)
def test_noise_is_refused(noise, mark):
    refusal(mark + noise)


def test_reading_is_deterministic():
    content = encoded(photo(2000, 1500), "JPEG")
    first, second = read_picture(content), read_picture(content)
    assert np.array_equal(pixels(first), pixels(second))
    assert first.sha256 == second.sha256
    assert Image.open(io.BytesIO(content)).size == first.size
