"""Read the maps of the attention viewer: every kind of attention, and the chosen options."""

from __future__ import annotations

import html
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of
from tests.payloads import read_payload
from views import map_weights


def read(content: bytes) -> tuple[dict, dict[str, tuple[dict, np.ndarray]]]:
    """Return the header, and for each kind its header and weights, with means also where the browser computes them."""
    header, arrays = read_payload(content)
    by_name = {}
    for name, kind in header["kinds"].items():
        weights = arrays[name]
        if len(weights) < len(kind["rows"]):
            weights = map_weights.with_means(weights)
        by_name[name] = kind, weights
    return header, by_name


def maps_by_kind(app: AppTest) -> dict[str, tuple[dict, np.ndarray]]:
    """Return header and weights of each kind on the page."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "attention_grid"]
    return read(element.proto.bytes)[1]


def chosen_options(app: AppTest) -> dict[str, str]:
    """Return the chosen options."""
    (mark,) = re.findall(r'data-chosen="([^"]*)"', html_of(app))
    return json.loads(html.unescape(mark))
