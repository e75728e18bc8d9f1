"""Check a picture file's bytes before any decoder reads it.

Finds files that are small and well-formed but take a decoder minutes or gigabytes, and formats that are not read here.
"""

import struct

MAX_SCANS = 100  # of a progressive JPEG; photographs have about ten
MAX_ENTRIES = 32_768  # of one TIFF tag, such as the offsets of its strips; photographs have some thousands

_HEIC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
_BYTE_TYPES = (1, 2, 6, 7)  # texts and profiles: long, and read as one block


def is_costly(content: bytes) -> bool:
    """True if decoding would cost far more than the size of the picture explains."""
    if content.startswith(b"\xff\xd8"):
        return content.count(b"\xff\xda") > MAX_SCANS
    if content[:4] in (b"II*\0", b"MM\0*"):
        return _tiff_entries(content, "H", "HHI4x", "I", 4) > MAX_ENTRIES
    if content[:4] in (b"II+\0", b"MM\0+"):
        return _tiff_entries(content, "Q", "HHQ8x", "Q", 8) > MAX_ENTRIES
    return False


def phone_format(content: bytes) -> str:
    """`HEIC` or `AVIF` for pictures as phones and newer cameras store them, whatever the file is called; else "".

    Both are files of the ISO base media format (ISO/IEC 14496-12), which begin with a list of brands.
    """
    if len(content) < 16 or content[4:8] != b"ftyp":
        return ""
    end = min(int.from_bytes(content[:4], "big"), 256, len(content))
    brands = {content[start : start + 4] for start in (8, *range(16, end - 3, 4))}
    if brands & {b"avif", b"avis"}:
        return "AVIF"
    return "HEIC" if brands & _HEIC else ""


def _tiff_entries(content: bytes, tags: str, tag: str, offset: str, offset_at: int) -> int:
    """The largest number of entries of a tag of the first page, whose offset is at `offset_at`.

    `tags`, `tag`, `offset`: `struct` formats of the number of tags, of one (number, type, entries) and of an offset.
    """
    order = "<" if content.startswith(b"II") else ">"
    most = 0
    try:
        (start,) = struct.unpack_from(order + offset, content, offset_at)
        (count,) = struct.unpack_from(order + tags, content, start)
        start += struct.calcsize(order + tags)
        for index in range(count):
            _, kind, entries = struct.unpack_from(order + tag, content, start + index * struct.calcsize(order + tag))
            if kind not in _BYTE_TYPES:
                most = max(most, entries)
    except (struct.error, OverflowError):  # the decoder will report that the file is damaged
        pass
    return most
