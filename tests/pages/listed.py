"""Read a page's list of heads, for tests without a browser."""

from __future__ import annotations

import html
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of
from views import map_labels, map_weights

_TYPES = {"float32": "<f4", "float16": "<f2"}


def listed_heads(app: AppTest) -> dict:
    """Return the header of the list of heads on the page, its rows filtered and sorted as chosen."""
    header, chosen, _ = _read(app)
    rows, roles = header["rows"], header["roles"]
    of = chosen[roles["of"]] if "of" in roles else header["every"]
    order = header["orders"][chosen[roles["sort"]]]
    return header | {"rows": [rows[place] for place in order if of in (header["every"], rows[place]["kind"])]}


def opened_head(app: AppTest) -> tuple[str, np.ndarray]:
    """Return the heading of the large map, and its weights, `(query, key)`, minus infinity where masked."""
    header, chosen, large = _read(app)
    id = chosen[header["roles"]["shown"]]
    row = listed_heads(app)["rows"][0] if id == "first" else next(row for row in header["rows"] if row["id"] == id)
    weights = large[header["rows"].index(row)]
    heading = header["axes"][row["kind"]]["heading"].format(map=map_labels.describe(row["layer"], row["head"]))
    return heading, np.where(map_weights.causal_mask(*weights.shape, row["causal"]), -np.inf, weights)


def _read(app: AppTest) -> tuple[dict, dict[str, str], list[np.ndarray | None]]:
    """Return the header, the chosen options, and every row's weights as far as they are sent."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "head_list"]
    content = element.proto.bytes
    length = int.from_bytes(content[:4], "little")
    header, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    marks = [json.loads(html.unescape(mark)) for mark in re.findall(r'data-chosen="([^"]*)"', html_of(app))]
    chosen = next(mark for mark in marks if set(mark) == {control["name"] for control in header["controls"]})
    shapes = [row["weights"] for row in header["rows"]] + ([header["underlay"]] if header["underlay"] else [])
    body = body[sum(int(np.prod(shape)) for shape in shapes) :]
    large: list[np.ndarray | None] = []
    for row in header["rows"]:
        cells = row["cells"]
        large.append(np.frombuffer(body, _TYPES[header["form"]], np.prod(cells)).reshape(cells) if cells else None)
        body = body[large[-1].nbytes :] if cells else body
    if header["exact"] is not None:
        cells = header["rows"][header["exact"]]["cells"]
        large[header["exact"]] = np.frombuffer(body, "<f4").reshape(cells)
        body = b""
    assert not body
    return header, chosen, large
