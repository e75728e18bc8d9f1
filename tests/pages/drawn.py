"""Read the matrices of a page's components, for tests without a browser."""

from __future__ import annotations

import html
import json
import re

import numpy as np

from tests.pages.conftest import html_of


def matrices(app) -> dict[str, tuple[dict, np.ndarray]]:
    """Return header and values of every matrix on the page, by name."""
    by_name = {}
    marks = [json.loads(html.unescape(mark)) for mark in re.findall(r'data-chosen="([^"]*)"', html_of(app))]
    for element in app.get("bidi_component"):
        content = element.proto.bytes
        if not content:  # a component without numbers
            continue
        length = int.from_bytes(content[:4], "little")
        header = json.loads(content[4 : 4 + length])
        offset = 4 + length
        if "sets" in header:
            names = {control["name"] for control in header["controls"]}
            by_name |= _of_sets(header, content[offset:], next(mark for mark in marks if set(mark) == names))
        for item in header.get("items", ()):
            if "sign" in item:
                continue
            count = item["values"][0] * item["values"][1]
            values = np.frombuffer(content, "<f4", count, offset).reshape(item["values"])
            by_name[item["name"]] = item, values
            offset += 4 * count
    return by_name


def _of_sets(header: dict, body: bytes, chosen: dict[str, str]) -> dict[str, tuple[dict, np.ndarray]]:
    """Return the chosen maps of a `MapSet` component, exact where they are sent exactly."""
    by_name, form = {}, {"float32": "<f4", "float16": "<f2"}[header["type"]]
    open_set = chosen.get("kind") if chosen.get("kind") in header["sets"] else next(iter(header["sets"]))
    names = header["sets"][open_set]["names"]
    place = tuple(
        0 if header["held"] else options.index(chosen[name])
        for name, options in zip(header["along"], names, strict=True)
    )
    for name, each in header["sets"].items():
        for item in each["items"]:
            shape = item["values"]
            values = np.frombuffer(body, form, int(np.prod(shape)))
            body = body[values.nbytes :]
            if name == open_set:
                at = int(np.ravel_multi_index(place, shape[:-2]))
                one = {side: item[side][at] for side in ("low", "high")}
                by_name[item["name"]] = item | one, values.reshape(shape)[place].astype(np.float32)
    for item, values in by_name.values() if header["exact"] else ():
        exact = np.frombuffer(body, "<f4", values.size).reshape(values.shape)
        body = body[exact.nbytes :]
        by_name[item["name"]] = item, exact
    assert not body
    return by_name


def metrics(app) -> dict[str, str]:
    """Values of the page's metrics by label."""
    return {metric.label: metric.value for metric in app.metric}
