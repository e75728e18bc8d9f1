"""Read the numbers that the view "One weight" sends to the browser."""

from __future__ import annotations

import json

import numpy as np
from streamlit.testing.v1 import AppTest


def sent_weights(app: AppTest, kind: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Return the header of a kind; its queries, keys and scores as far as they are sent, and the masks."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "one_weight"]
    content = element.proto.bytes
    length = int.from_bytes(content[:4], "little")
    whole, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    for called, header in whole["kinds"].items():
        weights = {}
        for name in ("queries", "keys", "scores"):
            if header[name]:
                numbers = np.frombuffer(body, "<f4", int(np.prod(header[name])))
                weights[name], body = numbers.reshape(header[name]), body[numbers.nbytes :]
        sides = [len(labels) for labels in header["labels"]]
        masks = np.frombuffer(body, np.uint8, int(np.prod([header["masks"], *sides])))
        weights["masks"], body = masks.reshape(header["masks"], *sides).astype(bool), body[masks.nbytes :]
        if called == kind:
            return header, weights
    raise AssertionError(f"no weights of {kind} are sent")
