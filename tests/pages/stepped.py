"""Read a page's step views, for tests without a browser."""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.payloads import read_payload


def read_step_view(app: AppTest, place: int = 0) -> tuple[dict, dict[str, np.ndarray]]:
    """Return header and arrays of a step view, counted from the top of the page."""
    views = [part.proto.bytes for part in app.get("bidi_component") if part.proto.component_name == "step_view"]
    return read_payload(views[place])


def labels(header: dict, axis: str) -> list[str]:
    """Return the labels of an axis."""
    (match,) = [each for each in header["axes"] if each["id"] == axis]
    return match["labels"]
