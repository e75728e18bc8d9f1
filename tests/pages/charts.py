"""Read the Plotly figures and the checks of a page."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from views.text import glossary

_KINDS = {"f4": "<f4", "f8": "<f8", "i4": "<i4", "i2": "<i2", "i1": "<i1", "u1": "<u1"}


def charts(app: AppTest) -> list[dict]:
    """Return all figures of the page, in order."""
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def numbers(packed) -> np.ndarray:
    """Decode Plotly's packed array, or a plain list."""
    if not isinstance(packed, dict):
        return np.array(packed)
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), _KINDS[packed["dtype"]])
    return flat.reshape([int(size) for size in packed["shape"].split(",")]) if "shape" in packed else flat


def curve(figure: dict, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of the curve called `name`."""
    (line,) = [trace for trace in figure["data"] if trace["name"] == name]
    return numbers(line["x"]), numbers(line["y"])


def check_caption(app: AppTest, begins: str) -> str:
    """Return the caption that contains `begins`, on one line, its differences without their bounds."""
    (line,) = [caption for caption in map(text_without_links, app.caption) if begins in caption]
    return without_bounds(line)


def text_without_links(element) -> str:
    """Return the text of an element, on one line, without the links of its terms."""
    return " ".join(glossary.unlink_terms(element.value).split())


def without_bounds(text: str) -> str:
    """Return the text of a check without bounds, its minus signs as Python writes them; see `pages.shared.checks`."""
    return re.sub(r" \([^()]* stays below [\d.e-]+\)|exactly (?=0)", "", text.replace("\u2212", "-"))
