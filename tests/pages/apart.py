"""What a weight is taken apart from, read back from the page."""

from __future__ import annotations

import json

import numpy as np
from streamlit.testing.v1 import AppTest


def apart(app: AppTest) -> tuple[dict, dict[str, np.ndarray]]:
    """The header; queries, keys and scores as far as they travel, and the masks."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "one_weight"]
    content = element.proto.bytes
    length = int.from_bytes(content[:4], "little")
    header, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    found = {}
    for name in ("queries", "keys", "scores"):
        if header[name]:
            numbers = np.frombuffer(body, "<f4", int(np.prod(header[name])))
            found[name], body = numbers.reshape(header[name]), body[numbers.nbytes :]
    sides = [len(labels) for labels in header["labels"]]
    found["masks"] = np.frombuffer(body, np.uint8).reshape(header["masks"], *sides).astype(bool)
    return header, found
