"""Every control has an effect: changing it changes other content of the page.

Every view is opened, and again with another value of each of its controls; no value may end in an error.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.every_view import VIEWS
from tests.pages.conftest import visit
from tests.tiers import nightly
from views.url_state.codecs import AnyOf, AnyText, Codec, Decimal, OneOf, WholeNumber
from views.url_state.session_state import DrawnControl

INPUTS = {"text_input", "number_input", "slider", "selectbox", "multiselect", "button_group", "checkbox", "toggle"}
MOST = 6  # other values tried of one control
# So high that each decoding method leads to another translation.
HOT = {"temperature": "3.0"}


def page_content(app: AppTest) -> list[tuple[str, bytes]]:
    """Return the content of the page except its controls, and buttons, as a download has a new address in each run."""
    leaves = [element for element in app.main if not getattr(element, "children", None)]
    elements = [element for element in leaves if element.type not in {*INPUTS, "button", "download_button"}]
    return [(element.type, element.proto.SerializeToString(deterministic=True)) for element in elements]


def other_values(control: DrawnControl) -> Iterator[object]:
    """Return other values of a control, those most likely to have an effect first."""
    match control.codec:
        case OneOf(options):
            values = list(options)
        case AnyOf(options):
            values = [[option] for option in options]
        case WholeNumber(low, high):
            values = [low, high, (low + high) // 2]
        case Decimal(low, high):
            values = [low, high]
        case AnyText():
            values = ["She has seven cats.", "Elle a sept chats.", "cat"]
    yield from [value for value in values if value != control.value][:MOST]


def address(codec: Codec, value: object) -> str | list[str]:
    raw = codec.write(value)
    return raw[0] if len(raw) == 1 else list(raw)


@pytest.mark.parametrize(
    "view", [view if view.opens_first else nightly(view) for view in VIEWS], ids=lambda view: view.id
)
def test_every_control_changes_other_content(view):
    app = visit(view.page, **view.settings)
    before, controls = page_content(app), dict(app.session_state["settings"].controls)
    disabled = {element.key for element in app.main if getattr(element, "disabled", False)}
    without = []
    for name, control in controls.items():
        if name in (view.key, "lang", *disabled):
            continue
        hot = HOT if name == "method" else {}
        others = [view.settings | hot | {name: address(control.codec, value)} for value in other_values(control)]
        if others and all(page_content(visit(view.page, **query)) == before for query in others):
            without.append(name)
    assert without == []
