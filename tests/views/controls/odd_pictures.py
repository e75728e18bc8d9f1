"""Bytes of pictures that are correct but odd, and of files that are not pictures: generated here, stored nowhere."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image

PNG_MARK = b"\x89PNG\r\n\x1a\n"
SCRIPT = "<script>document.title = 'hacked'</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
HTML = b"<!doctype html><title>x</title><script>document.title = 'hacked'</script>"


def encoded(image: Image.Image, form: str = "PNG", **options) -> bytes:
    """`image` as a file of the format `form`."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def photo(width: int = 320, height: int = 240, seed: int = 0) -> Image.Image:
    """Smooth colours with a little noise: compresses like a photograph."""
    noise = np.random.default_rng(seed)
    coarse = Image.fromarray(noise.integers(0, 256, (6, 8, 3), dtype=np.uint8))
    pixels = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(int)
    return Image.fromarray((pixels + noise.integers(-8, 9, pixels.shape)).clip(0, 255).astype(np.uint8))


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *extra: bytes) -> bytes:
    """A PNG from its parts; `rows` with the filter byte in front of each row."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    body = png_chunk(b"IDAT", zlib.compress(rows, 9))
    return PNG_MARK + header + b"".join(extra) + body + png_chunk(b"IEND", b"")


def png_bomb(side: int) -> bytes:
    """A complete, valid PNG of `side` x `side` black pixels in few bytes; `side` is a multiple of 1000."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = deflate.compress(bytes(1000 * (1 + side))) + deflate.flush(zlib.Z_FULL_FLUSH)  # can be repeated
    checksum = struct.pack(">HH", side * (1 + side) % 65521, 1)  # Adler-32 of that many zeros
    body = b"\x78\xda" + side // 1000 * block + deflate.flush() + checksum
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    return PNG_MARK + header + png_chunk(b"IDAT", body) + png_chunk(b"IEND", b"")


def tiff(*tags: tuple[int, int, int, int], body: bytes = b"", order: str = "<") -> bytes:
    """A one-page TIFF; each tag is number, type, entries, value. The body starts at byte 256."""
    fields = b"".join(
        struct.pack(order + ("HHIHxx" if kind == 3 and entries == 1 else "HHII"), number, kind, entries, value)
        for number, kind, entries, value in tags
    )
    mark = b"II*\0" if order == "<" else b"MM\0*"
    head = mark + struct.pack(order + "IH", 8, len(tags)) + fields + bytes(4)
    return head.ljust(256, b"\0") + body


def tiff_of_strips(strips: int, side: int = 1000) -> bytes:
    """A grey TIFF that names `strips` strips of one row, all at the same offset."""
    places = struct.pack("<I", 256) * strips
    return tiff(
        (256, 4, 1, side),
        (257, 4, 1, side),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, strips, 256 + side),
        (277, 3, 1, 1),
        (278, 4, 1, 1),
        (279, 4, strips, 256 + side),
        body=bytes(side) + places,
    )


def jpeg_of_scans(scans: int, side: int = 64) -> bytes:
    """A progressive JPEG that contains its last scan `scans` times."""
    content = encoded(photo(side, side), "JPEG", progressive=True, quality=40)
    end = content.rindex(b"\xff\xd9")
    last = content.rindex(b"\xff\xda")
    return content[:end] + content[last:end] * scans + content[end:]
