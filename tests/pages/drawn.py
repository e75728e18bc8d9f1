"""Read the matrices of a page's components, for tests without a browser."""

from __future__ import annotations

import html
import json
import re

import numpy as np

from tests.pages.conftest import html_of
from tests.payloads import read_payload


def matrices(app) -> dict[str, tuple[dict, np.ndarray]]:
    """Return header and values of every matrix on the page, by name."""
    by_name = {}
    marks = [json.loads(html.unescape(mark)) for mark in re.findall(r'data-chosen="([^"]*)"', html_of(app))]
    for element in app.get("bidi_component"):
        if not element.proto.bytes:  # a component without numbers
            continue
        header, arrays = read_payload(element.proto.bytes)
        if "sets" in header:
            names = {control["name"] for control in header["controls"] or ()}
            by_name |= _of_sets(header, arrays, next((mark for mark in marks if set(mark) == names), {}))
        for place, item in enumerate(header.get("items", ())):
            if "sign" not in item:
                by_name[item["name"]] = item, arrays[str(place)]
    return by_name


def _of_sets(header: dict, arrays: dict[str, np.ndarray], chosen: dict[str, str]) -> dict[str, tuple[dict, np.ndarray]]:
    """Return the chosen maps of a `MapSet` component, exact where they are sent exactly."""
    by_name = {}
    open_set = chosen.get("kind") if chosen.get("kind") in header["sets"] else next(iter(header["sets"]))
    names = header["sets"][open_set]["names"]
    place = tuple(
        0 if header["held"] else options.index(chosen[name])
        for name, options in zip(header["along"], names, strict=True)
    )
    assert header["exact"] in (None, [open_set, *place])
    for index, item in enumerate(header["sets"][open_set]["items"]):
        values = arrays[f"{open_set} {index}"]
        at = int(np.ravel_multi_index(place, values.shape[:-2])) if place else 0
        one = {side: item[side][at] for side in ("low", "high")}
        exact = arrays.get(f"exact {index}", values[place].astype(np.float32))
        by_name[item["name"]] = item | one, exact
    return by_name


def metrics(app) -> dict[str, str]:
    """Values of the page's metrics by label."""
    return {metric.label: metric.value for metric in app.metric}


def path_graph(app) -> dict:
    """What the graph of edges on the page is drawn from."""
    (element,) = [each for each in app.get("bidi_component") if each.proto.component_name == "path_graph"]
    return read_payload(element.proto.bytes)[0]
