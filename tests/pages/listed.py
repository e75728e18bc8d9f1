"""Read a page's list of heads, for tests without a browser."""

from __future__ import annotations

import html
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of
from tests.payloads import read_payload
from views import map_labels, map_weights
from views.components.head_list import FIRST


def listed_heads(app: AppTest) -> dict:
    """Return the header of the list of heads on the page, its rows filtered and sorted as chosen."""
    header, chosen, _ = _read(app)
    rows, roles = header["rows"], header["roles"]
    of = chosen[roles["of"]] if "of" in roles else header["every"]
    order = header["orders"].get(chosen[roles["sort"]], range(len(rows)))
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
    """Return the header, with rows by field, the chosen options, and every row's weights as far as they are sent."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "head_list"]
    header, arrays = read_payload(element.proto.bytes)
    marks = [json.loads(html.unescape(mark)) for mark in re.findall(r'data-chosen="([^"]*)"', html_of(app))]
    chosen = next(mark for mark in marks if set(mark) == {control["name"] for control in header["controls"]})
    rows, large = read_rows(header, arrays)
    return header | {"rows": rows}, chosen, large


def read_rows(header: dict, arrays: dict[str, np.ndarray]) -> tuple[list[dict], list[np.ndarray | None]]:
    """Return the rows of a payload of `views.components.head_list` by field, and the map of each that is sent."""
    (named,) = [control["options"] for control in header["controls"] if control["name"] == header["roles"]["shown"]]
    rows, maps = [], []
    for place, ((id, name), row) in enumerate(
        zip([option for option in named if option[0] != FIRST], header["rows"], strict=True)
    ):
        number, layer, head, words, *labels = row.split("|")
        kind = header["kinds"][int(number)]
        at = sum(row["kind"] == kind for row in rows)
        sent = None if kind not in arrays else arrays[kind][at]
        maps.append(arrays["open"] if place == header["open"] and "open" in arrays else sent)
        here, often = (header["labels"][int(labels[at])].replace("{score}", labels[at + 1]) for at in (0, 2))
        texts = {"layer": layer, "head": head, "effect_words": words, "here": here, "often": often}
        number = {"effect": float(arrays["effects"][place]), "causal": kind in header["causal"]}
        shape = [] if maps[-1] is None else list(maps[-1].shape)
        rows.append({"id": id, "name": name, "kind": kind, "weights": shape} | texts | number)
    return rows, maps
