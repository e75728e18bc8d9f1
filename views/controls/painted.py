"""A painted mask in the address bar: which cells differ from the pattern it began with, in few characters.

`19-eJxj...` is the side of the mask, then the cells packed eight to a byte, deflated, in URL-safe base 64.
"""

import base64
import binascii
import zlib

import numpy as np


def encode(changed: np.ndarray) -> str:
    """`(side, side)` bool as text; empty where nothing was changed."""
    if not changed.any():
        return ""
    packed = zlib.compress(np.packbits(changed).tobytes(), 9)
    return f"{len(changed)}-{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def decode(text: object, side: int) -> np.ndarray:
    """What `encode` wrote for a mask of this side; no change where the text is anything else: links hold anything."""
    nothing = np.zeros((side, side), dtype=bool)
    if not isinstance(text, str) or not text.startswith(f"{side}-"):
        return nothing
    code = text.split("-", 1)[1]
    size = -(-side * side // 8)
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        content = zlib.decompressobj().decompress(packed, size + 1)
    except (ValueError, binascii.Error, zlib.error):
        return nothing
    if len(content) != size:
        return nothing
    return np.unpackbits(np.frombuffer(content, np.uint8), count=side * side).astype(bool).reshape(side, side)
