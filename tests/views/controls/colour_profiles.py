"""ICC profiles made by hand (ICC.1:2010): a matrix and curves, as screens have, a curve, a table of inks."""

from __future__ import annotations

import struct

import numpy as np

# Red, green and blue as XYZ under D50, a column each; the first of sRGB, the second of Apple's Display P3.
SRGB = np.array([[0.4360, 0.3851, 0.1431], [0.2225, 0.7169, 0.0606], [0.0139, 0.0971, 0.7141]])
DISPLAY_P3 = np.array([[0.5151, 0.2920, 0.1571], [0.2412, 0.6922, 0.0666], [-0.0011, 0.0419, 0.7841]])
_D50 = (0.9642, 1.0, 0.8249)
_SRGB_CURVE = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def _fixed(*values: float) -> bytes:
    return b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def _profile(space: bytes, tags: dict[bytes, bytes]) -> bytes:
    tags = {b"wtpt": b"XYZ \0\0\0\0" + _fixed(*_D50)} | tags
    start = 128 + 4 + 12 * len(tags)
    table, body = struct.pack(">I", len(tags)), b""
    for name, content in tags.items():
        table += name + struct.pack(">II", start + len(body), len(content))
        body += content + b"\0" * (-len(content) % 4)
    head = struct.pack(">I4sI4s4s4s", start + len(body), b"none", 0x04000000, b"mntr", space, b"XYZ ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28 + _fixed(*_D50)
    return head.ljust(128, b"\0") + table + body


def rgb(columns: np.ndarray) -> bytes:
    """A profile whose red, green and blue are these `(3, 3)` columns of XYZ, with sRGB's curve."""
    curve = b"para\0\0\0\0" + struct.pack(">HH", 3, 0) + _fixed(*_SRGB_CURVE)
    tags = {
        name + b"XYZ": b"XYZ \0\0\0\0" + _fixed(*column)
        for name, column in zip((b"r", b"g", b"b"), columns.T, strict=True)
    }
    return _profile(b"RGB ", tags | {name + b"TRC": curve for name in (b"r", b"g", b"b")})


def grey(gamma: float) -> bytes:
    """A profile of grey levels: luminance is the level to the power of `gamma`."""
    return _profile(b"GRAY", {b"kTRC": b"para\0\0\0\0" + struct.pack(">HH", 0, 0) + _fixed(gamma)})


def inks() -> bytes:
    """A profile for CMYK in which yellow is black, and the other inks do nothing: no press has one like it."""
    ends = struct.pack(">HH", 0, 65535)  # of a curve that changes nothing
    head = b"mft2\0\0\0\0" + bytes((4, 3, 2, 0)) + _fixed(1, 0, 0, 0, 1, 0, 0, 0, 1) + struct.pack(">HH", 2, 2)
    corners = np.ndindex(2, 2, 2, 2)  # cyan, magenta, yellow, black; the last varies fastest
    lab = b"".join(struct.pack(">HHH", 0 if yellow else 0xFF00, 0x8000, 0x8000) for _, _, yellow, _ in corners)
    table = head + ends * 4 + lab + ends * 3
    profile = bytearray(_profile(b"CMYK", {b"A2B0": table}))
    profile[8:12], profile[12:16], profile[20:24] = struct.pack(">I", 0x02400000), b"prtr", b"Lab "
    return bytes(profile)


def in_srgb(colours: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Colours of `rgb(columns)` in sRGB, by the formulas: `(..., 3)` uint8 to float levels of 0 to 255."""
    share = colours / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    light = np.clip(light @ columns.T @ np.linalg.inv(SRGB).T, 0, 1)
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
