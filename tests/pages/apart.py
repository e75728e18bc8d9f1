"""Read the numbers that the view "One weight" sends to the browser."""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.payloads import read_payload


def sent_weights(app: AppTest, kind: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Return the header of a kind; its queries, keys and scores as far as they are sent, and the masks."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "one_weight"]
    header, arrays = read_payload(element.proto.bytes)
    fields = header["kinds"][kind]
    sent = {name: arrays[f"{kind} {name}"] for name in ("queries", "keys", "scores") if f"{kind} {name}" in arrays}
    masks = [arrays[f"{kind} mask {mask}"].astype(bool) for mask in range(fields["masks"])]
    sides = [len(labels) for labels in fields["labels"]]
    return fields, sent | {"masks": np.array(masks).reshape(-1, *sides)}
