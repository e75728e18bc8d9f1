"""What the Plotly figures of a page hold."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from views.text import glossary

_KINDS = {"f4": "<f4", "f8": "<f8", "i4": "<i4", "i2": "<i2", "i1": "<i1", "u1": "<u1"}


def charts(app: AppTest) -> list[dict]:
    """All figures of the page, in order."""
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def numbers(packed) -> np.ndarray:
    """Plotly's packed arrays, or a plain list."""
    if not isinstance(packed, dict):
        return np.array(packed)
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), _KINDS[packed["dtype"]])
    return flat.reshape([int(size) for size in packed["shape"].split(",")]) if "shape" in packed else flat


def curve(figure: dict, name: str) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the curve called `name`."""
    (found,) = [trace for trace in figure["data"] if trace["name"] == name]
    return numbers(found["x"]), numbers(found["y"])


def checked(app: AppTest, begins: str) -> str:
    """The caption that holds `begins`, on one line, its figures without their bounds."""
    (line,) = [said for said in map(unlinked, app.caption) if begins in said]
    return without_bounds(line)


def unlinked(element) -> str:
    """What a text of the page says, on one line, without the links of its terms."""
    return " ".join(glossary.unlink_terms(element.value).split())


def without_bounds(text: str) -> str:
    """What a check says, its figures alone; see `pages.shared.checks`."""
    return re.sub(r" \([^()]* stays below [\d.e-]+\)|exactly (?=0)", "", text)
