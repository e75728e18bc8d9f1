"""Encode a painted mask for the URL: the cells that differ from the pattern it began with, in few characters.

`19-eJxj...` is the side of the mask, then the cells packed eight to a byte, deflated, in URL-safe base 64.
"""

import base64
import binascii
import re
import zlib

import numpy as np

SIDES = 64  # patches per side of the largest picture whose mask is stretched


def encode(changed: np.ndarray) -> str:
    """`(side, side)` bool as text; empty if nothing was changed."""
    if not changed.any():
        return ""
    packed = zlib.compress(np.packbits(changed).tobytes(), 9)
    return f"{len(changed)}-{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def decode(text: object, side: int) -> np.ndarray:
    """The mask that `encode` wrote, `(side, side)` bool; without changes if the text is anything else."""
    unchanged = np.zeros((side, side), dtype=bool)
    if not isinstance(text, str) or not text.startswith(f"{side}-"):
        return unchanged
    code = text.split("-", 1)[1]
    size = -(-side * side // 8)
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        content = zlib.decompressobj().decompress(packed, size + 1)
    except (ValueError, binascii.Error, zlib.error):
        return unchanged
    if len(content) != size:
        return unchanged
    return np.unpackbits(np.frombuffer(content, np.uint8), count=side * side).astype(bool).reshape(side, side)


def decode_stretched(text: object, side: int) -> np.ndarray:
    """Decode a mask of any side up to `SIDES`, stretched to this one: the picture may have had other patches."""
    match = re.match("([0-9]+)-", text) if isinstance(text, str) else None
    encoded_side = int(match[1]) if match and len(match[1]) <= len(str(SIDES)) else side
    if not 0 < encoded_side <= SIDES:
        encoded_side = side
    nearest = (np.arange(side) * 2 + 1) * encoded_side // (2 * side)
    return decode(text, encoded_side)[np.ix_(nearest, nearest)]
