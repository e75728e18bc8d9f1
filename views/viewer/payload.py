"""Payloads of components: a JSON header and arrays in one block of bytes, which web/src/core/payload.ts reads.

A little-endian uint32 with the length of the header, the header as JSON padded with spaces to a multiple of four, then
the arrays one after another, as the header's field `arrays` lists them: `{name, dtype, shape}` each, `causal` where
only a part is sent, and `levels` and the number of `bytes` where weights are rounded to levels. Numbers are
little-endian.
"""

import heapq
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

Dtype = Literal["float32", "float24", "float16", "uint8", "levels"]

EXACT_BYTES = 1 << 20  # of maps that are sent with every digit


@dataclass(frozen=True, eq=False)
class SentArray:
    """An array and the precision in which it is sent."""

    values: np.ndarray  # of any shape
    # "float24" is float32 rounded to its upper 24 bits. 16 significant bits remain: more than four decimal digits of
    # any weight, however small. "float16" has three digits down to 0.0001. "levels": weights from 0 to 1, rounded to
    # `levels`, in 3 to 7 bits each.
    dtype: Dtype = "float32"
    causal: bool = False  # the last two axes are query and key, and keys behind the query, which are 0, are left out
    levels: int = 1000

    @property
    def size(self) -> int:
        """The number of elements that are sent."""
        if not self.causal:
            return self.values.size
        *maps, queries, keys = self.values.shape
        return math.prod(maps) * int(np.tri(queries, keys, dtype=np.bool_).sum())

    def header(self, name: str) -> dict[str, object]:
        """How the payload's header lists it."""
        listed: dict[str, object] = {"name": name, "dtype": self.dtype, "shape": self.values.shape}
        if self.dtype == "levels":
            listed |= {"levels": self.levels, "bytes": len(self.encoded)}
        return listed | {"causal": True} if self.causal else listed

    @cached_property
    def encoded(self) -> bytes:
        """Its numbers as they are sent."""
        values = self.values
        if self.causal:
            values = values[..., np.tri(*values.shape[-2:], dtype=np.bool_)]  # (..., visible cells)
        if self.dtype == "levels":
            return encode_levels(round_to_levels(values, self.levels))
        if self.dtype != "float24":
            return np.ascontiguousarray(values, _LITTLE_ENDIAN[self.dtype]).tobytes()
        bits = np.ascontiguousarray(values, "<f4").view("<u4") + np.uint32(0x80)
        return bits.view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()


_LITTLE_ENDIAN = {"float32": "<f4", "float16": "<f2", "uint8": "u1"}


def pack(header: Mapping[str, object], arrays: Mapping[str, np.ndarray | SentArray | None] | None = None) -> bytes:
    """Pack a payload; arrays that are None are left out.

    Args:
        header: values of JSON, and objects whose fields are.
        arrays: bytes and truth values are sent as uint8, other numbers as float32, unless a `SentArray` says more.
    """
    sent = {name: _sent(array) for name, array in (arrays or {}).items() if array is not None}
    listed = [array.header(name) for name, array in sent.items()]
    text = json.dumps({**header, "arrays": listed}, separators=(",", ":"), default=vars).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *(array.encoded for array in sent.values())])


def float32_numbers(values: Iterable[float]) -> list[float]:
    """Return numbers for a header in the precision of float32, each with the fewest digits that state it.

    They are rounded where they are written, once: a number that was cut before may be written with wrong digits.
    """
    return [float(str(np.float32(value))) for value in values]


def _sent(array: np.ndarray | SentArray) -> SentArray:
    if isinstance(array, SentArray):
        return array
    return SentArray(array, "uint8" if array.dtype in (np.uint8, np.bool_) else "float32")


def dtype_of(*arrays: np.ndarray | SentArray, rounded: Dtype = "float16", exact_bytes: int = EXACT_BYTES) -> Dtype:
    """float32 if all arrays together need at most `exact_bytes` in it, else `rounded`."""
    return "float32" if 4 * sum(array.size for array in arrays) <= exact_bytes else rounded


# Weights in few bytes: rounded to levels, and each level in as many bits as its size needs.
#
# A weight w is sent as the level w * levels, rounded down. The number of bits of a level is its class, 0 for level 0. A
# class has a Huffman code (Huffman 1952, "A Method for the Construction of Minimum-Redundancy Codes"), since most
# weights of attention are small; the lower bits of the level follow it. web/src/core/payload.ts reads it.

LEAST_SHARE = 1 / 3  # level 0 is read as this share of a level, since most weights in it are small


def round_to_levels(weights: np.ndarray, levels: int) -> np.ndarray:
    """Return the level of each weight.

    Args:
        weights: from 0 to 1, of any shape.
        levels: a multiple of 200 retains the second decimal digit of every weight as it is rounded.
    """
    return np.minimum(np.floor(np.asarray(weights, np.float64) * levels), levels).astype(np.uint32)


def weights_of_levels(levels: np.ndarray, count: int) -> np.ndarray:
    """Return the weights, as float32, that the browser reads for levels: the middle of each."""
    middle = np.where(levels == 0, LEAST_SHARE, levels + 0.5)
    return np.minimum(middle / count, 1).astype(np.float32)


def encode_levels(levels: np.ndarray) -> bytes:
    """Return one byte for the number of classes, one for the length of each class's code, and the bits."""
    flat = levels.reshape(-1)
    classes = np.frexp(flat.astype(np.float64))[1]  # the number of bits of each level
    lengths = code_lengths(np.bincount(classes, minlength=1))
    extra = np.maximum(classes - 1, 0)  # the highest bit of a level is 1
    values = (canonical_codes(lengths)[classes] << extra) | (flat & ((1 << extra) - 1))
    return bytes([len(lengths), *lengths]) + _packed(values, lengths[classes] + extra)


def code_lengths(counts: np.ndarray) -> np.ndarray:
    """Return the length in bits of each symbol's Huffman code, 0 for symbols that do not occur.

    Args:
        counts: of each symbol.
    """
    lengths = np.zeros(len(counts), np.int64)
    heap = [(int(count), symbol, [symbol]) for symbol, count in enumerate(counts) if count]
    if len(heap) == 1:
        lengths[heap[0][1]] = 1
    heapq.heapify(heap)
    while len(heap) > 1:
        one, other = heapq.heappop(heap), heapq.heappop(heap)
        members = one[2] + other[2]
        lengths[members] += 1
        heapq.heappush(heap, (one[0] + other[0], min(one[1], other[1]), members))
    return lengths


def canonical_codes(lengths: np.ndarray) -> np.ndarray:
    """Return the code of each symbol: by length, then by symbol, each code one more than the one before."""
    codes, code, before = np.zeros(len(lengths), np.int64), 0, 0
    for symbol in sorted(np.flatnonzero(lengths), key=lambda each: (lengths[each], each)):
        code <<= int(lengths[symbol]) - before
        codes[symbol], before = code, int(lengths[symbol])
        code += 1
    return codes


def _packed(values: np.ndarray, lengths: np.ndarray) -> bytes:
    """Values one after another, each with its number of bits, the highest first."""
    ends = np.cumsum(lengths)
    bits = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    for place in range(int(lengths.max(initial=0))):  # from the lowest bit
        has = lengths > place
        bits[ends[has] - 1 - place] = (values[has] >> place) & 1
    return np.packbits(bits).tobytes()
