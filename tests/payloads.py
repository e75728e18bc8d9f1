"""Read a payload as the browser does, for tests without one."""

from __future__ import annotations

import json

import numpy as np

_SIZES = {"float32": 4, "float24": 3, "float16": 2, "uint8": 1}


def read_payload(content: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """Return header and arrays of a payload, by name; weights of a causal array that are not sent are 0."""
    end = 4 + int.from_bytes(content[:4], "little")
    header, body, arrays = json.loads(content[4:end]), content[end:], {}
    for sent in header["arrays"]:
        shape = tuple(sent["shape"])
        visible = np.tri(*shape[-2:], dtype=bool) if sent.get("causal") else None
        count = int(np.prod(shape if visible is None else (*shape[:-2], visible.sum())))
        length = sent["bytes"] if sent["dtype"] == "levels" else count * _SIZES[sent["dtype"]]
        block, body = body[:length], body[length:]
        numbers = _levels(block, count, sent["levels"]) if sent["dtype"] == "levels" else _numbers(block, sent["dtype"])
        if visible is None:
            arrays[sent["name"]] = numbers.reshape(shape)
        else:
            whole = np.zeros(shape, numbers.dtype)
            whole[..., visible] = numbers.reshape(*shape[:-2], -1)
            arrays[sent["name"]] = whole
    assert not body
    return header, arrays


def dtypes(header: dict) -> dict[str, str]:
    """Return the format of each array of a payload."""
    return {sent["name"]: sent["dtype"] for sent in header["arrays"]}


def _numbers(block: bytes, dtype: str) -> np.ndarray:
    if dtype != "float24":
        return np.frombuffer(block, {"float32": "<f4", "float16": "<f2", "uint8": "u1"}[dtype])
    whole = np.zeros((len(block) // 3, 4), np.uint8)
    whole[:, 1:] = np.frombuffer(block, np.uint8).reshape(-1, 3)
    return whole.reshape(-1).view("<f4")


def _levels(block: bytes, count: int, levels: int) -> np.ndarray:
    """Read weights that `views/viewer/payload.py` wrote, bit by bit."""
    lengths, bits = block[1 : 1 + block[0]], "".join(f"{byte:08b}" for byte in block[1 + block[0] :])
    code, codes = 0, {}
    for length in range(1, max(lengths, default=0) + 1):
        code <<= 1
        for symbol, own in enumerate(lengths):
            if own == length:
                codes[f"{code:0{length}b}"] = symbol
                code += 1
    numbers, place = np.zeros(count, np.float32), 0
    for cell in range(count):
        end = place + 1
        while bits[place:end] not in codes:
            end += 1
        size = codes[bits[place:end]]
        place = end + max(size - 1, 0)
        level = int("1" + bits[end:place], 2) if size else 0
        numbers[cell] = min(1, (level + 0.5 if level else 1 / 3) / levels)
    return numbers
