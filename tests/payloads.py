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
        block, body = body[: count * _SIZES[sent["dtype"]]], body[count * _SIZES[sent["dtype"]] :]
        numbers = _numbers(block, sent["dtype"])
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
