"""Weights in few bytes: rounded to levels, and each level in as many bits as its size needs.

A weight w is sent as the level w * levels, rounded down. The number of bits of a level is its class, 0 for level 0.
A class has a Huffman code (Huffman 1952, "A Method for the Construction of Minimum-Redundancy Codes"), since most
weights of attention are small; the lower bits of the level follow it. web/src/core/payload.ts reads it.
"""

import heapq

import numpy as np

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
