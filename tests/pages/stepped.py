"""Read a page's step views, for tests without a browser."""

from __future__ import annotations

import json

import numpy as np
from streamlit.testing.v1 import AppTest


def read(content: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """Return header and arrays of a payload; see `views.components.step_view.payload`."""
    length = int.from_bytes(content[:4], "little")
    header, offset, arrays = json.loads(content[4 : 4 + length]), 4 + length, {}
    sizes = {axis["id"]: axis["count"] for axis in header["axes"]}
    for key, dims in header["numbers"].items():
        shape = tuple(sizes[dim] for dim in dims)
        arrays[key] = np.frombuffer(content, "<f4", int(np.prod(shape)), offset).reshape(shape)
        offset += 4 * arrays[key].size
    assert offset == len(content)
    return header, arrays


def read_step_view(app: AppTest, place: int = 0) -> tuple[dict, dict[str, np.ndarray]]:
    """Return header and arrays of a step view, counted from the top of the page."""
    views = [part.proto.bytes for part in app.get("bidi_component") if part.proto.component_name == "step_view"]
    return read(views[place])


def labels(header: dict, axis: str) -> list[str]:
    """Return the labels of an axis."""
    (match,) = [each for each in header["axes"] if each["id"] == axis]
    return match["labels"]
