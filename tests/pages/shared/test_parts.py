"""A page of parts: each has an id for the address and a name in the reader's language."""

from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from pages.shared import parts
    from views.text.catalogue import Message

    first = parts.Part("first", Message("test.first", "First part"), lambda request: st.text("the first"))
    second = parts.Part("second", Message("test.second", "Second part"), lambda request: st.text("the second"))
    parts._explore("tokens", (first, second), "part", False, None)


def test_the_address_has_the_id_and_the_reader_sees_the_name():
    app = AppTest.from_function(script).run()
    (choice,) = app.get("button_group")
    assert [text.value for text in app.text] == ["the first"]
    assert [option.content for option in choice.proto.options] == ["First part", "Second part"]
    app = AppTest.from_function(script)
    app.query_params["part"] = "second"
    assert [text.value for text in app.run().text] == ["the second"]
