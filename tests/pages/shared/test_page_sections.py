"""A page of sections: each has an id for the address and a label in the user's language."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import SENTENCE


def script() -> None:
    import streamlit as st

    from pages.shared import page_header, page_sections
    from views.text.catalogue import Message

    first = page_sections.PageSection(
        "first", Message("test.first", "First part"), lambda request: st.text("the first"), reads=page_header.NOTHING
    )
    second = page_sections.PageSection(
        "second", Message("test.second", "Second part"), lambda request: st.text("the second")
    )
    page_sections.render_sections("tokens", (first, second), "part")


def test_the_address_has_the_id_and_the_control_the_label():
    app = AppTest.from_function(script).run()
    (choice,) = app.get("button_group")
    assert [text.value for text in app.main.text] == ["the first"]
    assert [option.content for option in choice.proto.options] == ["First part", "Second part"]
    app = AppTest.from_function(script)
    app.query_params["part"] = "second"
    assert [text.value for text in app.run().main.text] == ["the second"]
    kinds = [element.type for element in app.main]
    assert kinds.index("button_group") < kinds.index("text_input"), "the tabs move with the inputs of a part"


def has_controls(app: AppTest) -> tuple[bool, bool]:
    """Return whether the page offers the sentence box, and the decoding controls."""
    return bool([box for box in app.text_input if box.key == "text"]), bool(
        [group for group in app.get("button_group") if "method" in group.proto.id]
    )


@pytest.mark.parametrize(
    ("part", "asks"),
    [
        ({}, (True, False)),
        ({"part": "spelling"}, (False, False)),
        ({"part": "contexts"}, (False, False)),
        ({"part": "word-order"}, (False, True)),
    ],
)
def test_a_page_offers_only_the_inputs_of_the_open_section(open_app, part, asks):
    app = open_app("tokens", method="beam", **part)
    assert has_controls(app) == asks
    assert app.query_params["text"] == SENTENCE and app.query_params["method"] == "beam"  # remain for the next section


def test_predefined_tokens_need_no_sentence(open_app):
    app = open_app("loss", method="beam")
    assert has_controls(app) == (True, True)
    for chosen, asks in (("five", (False, False)), ("target", (True, True))):
        app.button_group(key="scored").set_value(chosen).run()
        assert has_controls(app) == asks and not app.exception
        assert app.query_params["text"] == SENTENCE and app.query_params["method"] == "beam"
    assert has_controls(open_app("loss", scored="five")) == (False, False)
