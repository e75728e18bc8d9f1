"""What a page's components were given, for tests without a browser."""

from __future__ import annotations

import json

import numpy as np


def matrices(app) -> dict[str, tuple[dict, np.ndarray]]:
    """Header and values of every matrix on the page, by name."""
    found = {}
    for element in app.get("bidi_component"):
        content = element.proto.bytes
        if not content:  # a component that shows no numbers
            continue
        length = int.from_bytes(content[:4], "little")
        header = json.loads(content[4 : 4 + length])
        offset = 4 + length
        for item in header.get("items", ()):
            if "sign" in item:
                continue
            count = item["values"][0] * item["values"][1]
            values = np.frombuffer(content, "<f4", count, offset).reshape(item["values"])
            found[item["name"]] = item, values
            offset += 4 * count
    return found


def metrics(app) -> dict[str, str]:
    """Values of the page's metrics by label."""
    return {metric.label: metric.value for metric in app.metric}
