"""Damaged pictures from a seed: every accepted format, cut, flipped, and with false headers."""

from __future__ import annotations

import random
import struct
import zlib

from PIL import Image

from tests.views.controls.odd_pictures import HTML, SVG, encoded, jpeg_of_scans, photo, png_bomb, tiff_of_strips
from views.controls import pictures

HOSTILE_NUMBERS = (0, 1, 127, 128, 255, 256, 32_767, 65_535, 65_536, 5_001, 25_000_001, 2**31 - 1, 2**31, 2**32 - 1)
MARKS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"GIF87a", b"BM", b"II*\0", b"MM\0*", b"II+\0", b"RIFF")


def original_pictures() -> list[bytes]:
    """Valid pictures: each format, and each of its common variants."""
    small = photo(48, 40)
    frames = [photo(48, 40, number).convert("P") for number in range(3)]
    exif = Image.Exif()
    exif[0x0112] = 6
    return [
        *(encoded(small, form) for form in pictures.FORMATS),
        encoded(small, "JPEG", progressive=True, exif=exif),
        encoded(small.convert("CMYK"), "JPEG"),
        encoded(small.convert("L"), "JPEG"),
        encoded(small.convert("RGBA"), "PNG"),
        encoded(small.convert("P"), "PNG", transparency=3),
        encoded(small.convert("I;16"), "PNG"),
        encoded(small, "PNG", save_all=True, append_images=frames),
        encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]),
        encoded(small.convert("RGBA"), "WEBP", lossless=True),
        encoded(small, "WEBP", save_all=True, append_images=[photo(48, 40, 1)]),
        *(encoded(small, "TIFF", compression=name) for name in ("tiff_lzw", "tiff_deflate", "packbits", "jpeg")),
        encoded(small.convert("1"), "TIFF", compression="group4"),
        encoded(small.convert("F"), "TIFF"),
        encoded(small.convert("1"), "BMP"),
        encoded(small.convert("P"), "BMP"),
        tiff_of_strips(40, 40),
        jpeg_of_scans(8),
        encoded(photo(900, 700), "JPEG"),
        png_bomb(2000),
        SVG,
        HTML,
    ]


def damage(random: random.Random, originals: list[bytes]) -> bytes:
    """One case: an original with one to eight changes."""
    content = bytearray(random.choice(originals))
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        if not content:
            break
        random.choice(_DAMAGES)(random, content, originals)
    return _with_valid_checksums(content) if random.random() < 0.3 else bytes(content)


def _offset(random: random.Random, content: bytearray) -> int:
    """An offset, mostly in the headers at the start, since most changes to pixels only change pixels."""
    return random.randrange(min(len(content), 700) if random.random() < 0.7 else len(content))


def _flip(random, content, _):
    content[_offset(random, content)] ^= 1 << random.randrange(8)


def _set(random, content, _):
    content[_offset(random, content)] = random.choice((0, 1, 127, 128, 254, 255, random.randrange(256)))


def _number(random, content, _):
    """Insert a hostile size where a width, a count or an offset may be."""
    form = random.choice("<>") + random.choice("HIIQ")
    offset = _offset(random, content)
    number = random.choice(HOSTILE_NUMBERS) & (2 ** (8 * struct.calcsize(form)) - 1)
    content[offset : offset + struct.calcsize(form)] = struct.pack(form, number)


def _truncate(random, content, _):
    del content[random.randrange(len(content)) :]


def _cut(random, content, _):
    offset = _offset(random, content)
    del content[offset : offset + random.randint(1, 64)]


def _insert(random, content, _):
    offset = _offset(random, content)
    content[offset:offset] = random.randbytes(random.choice((1, 2, 4, 64, 4096)))


def _repeat(random, content, _):
    offset = _offset(random, content)
    part = bytes(content[offset : offset + random.choice((4, 40, 400))])
    content[offset:offset] = part * random.choice((1, 5, 50))


def _header(random, content, _):
    mark = random.choice(MARKS)
    content[: len(mark)] = mark


def _splice(random, content, originals):
    other = random.choice(originals)
    content[random.randrange(len(content)) :] = other[random.randrange(len(other)) :]


def _pad(random, content, _):
    content.extend(bytes(random.choice((1, 1000, 1_000_000))))


_DAMAGES = (_flip, _flip, _set, _set, _number, _number, _truncate, _cut, _insert, _repeat, _header, _splice, _pad)


def _with_valid_checksums(content: bytearray) -> bytes:
    """Correct the checksums of a PNG, so that its changed headers are accepted."""
    if not content.startswith(MARKS[0]):
        return bytes(content)
    offset = 8
    while offset + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, offset)
        end = offset + 8 + length
        if end + 4 > len(content):
            break
        content[end : end + 4] = struct.pack(">I", zlib.crc32(content[offset + 4 : end]))
        offset = end + 4
    return bytes(content)
