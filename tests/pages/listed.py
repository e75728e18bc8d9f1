"""What a page's list of heads was given, for tests without a browser."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest


def listed(app: AppTest) -> dict:
    """The header of the only list of heads on the page; see `views.components.head_list.payload`."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "head_list"]
    content = element.proto.bytes
    return json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])
