"""Read the maps of the attention viewer: every kind of attention, and the chosen options."""

from __future__ import annotations

import html
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of

_TYPES = {"float32": "<f4", "float16": "<f2"}


def read(content: bytes) -> tuple[dict, dict[str, tuple[dict, np.ndarray]]]:
    """Return the header, and for each kind its header and weights."""
    length = int.from_bytes(content[:4], "little")
    header, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    by_name = {}
    for name, kind in header["kinds"].items():
        weights = np.frombuffer(body, _TYPES[kind["type"]], int(np.prod(kind["weights"])))
        body = body[weights.nbytes :]
        by_name[name] = kind, weights.reshape(kind["weights"])
    assert not body
    return header, by_name


def maps_by_kind(app: AppTest) -> dict[str, tuple[dict, np.ndarray]]:
    """Return header and weights of each kind on the page."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "attention_grid"]
    return read(element.proto.bytes)[1]


def chosen_options(app: AppTest) -> dict[str, str]:
    """Return the chosen options."""
    (mark,) = re.findall(r'data-chosen="([^"]*)"', html_of(app))
    return json.loads(html.unescape(mark))
