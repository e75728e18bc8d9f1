"""What a page's Plotly charts hold, as the browser receives it."""

from __future__ import annotations

import base64
import json

import numpy as np
from streamlit.testing.v1 import AppTest

_KINDS = {"f4": "<f4", "f8": "<f8", "u1": "<u1", "i1": "<i1", "i2": "<i2", "i4": "<i4"}


def charts(app: AppTest) -> list[dict]:
    """Every figure of the page, in order."""
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def numbers(packed: dict) -> np.ndarray:
    """Plotly's packed arrays."""
    shape = [int(size) for size in str(packed.get("shape", "-1")).split(",")]
    return np.frombuffer(base64.b64decode(packed["bdata"]), _KINDS[packed["dtype"]]).reshape(shape)
