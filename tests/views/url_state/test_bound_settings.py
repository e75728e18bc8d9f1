"""What a run reads from the URL and what it writes there, in this process."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from views.controls import widgets
    from views.url_state import bound_settings

    with bound_settings.page_run(st.session_state.get("page", "one"), "First."):
        st.button(
            "press", on_click=lambda: (bound_settings.set_value("text", "Pressed."), bound_settings.set_value("row", 7))
        )
        st.button("keep", on_click=bound_settings.store_text, args=("kept", "3-1"))
        st.button("drop", on_click=bound_settings.store_text, args=("kept", ""))
        text = widgets.text("Text", "text", "First.", varies=True)
        method = widgets.pick("Method", ("greedy", "beam"), "method")
        if text == "stop":
            bound_settings.stop()
        if text == "fail":
            raise ValueError(text)
        if text.isdecimal():
            widgets.slider("Place", "place", 1, 1, len(text), varies=True)
        if method == "beam":
            st.text(widgets.number("Beam", "beam", 4, 1, 8))
        if st.session_state.get("page") == "two":
            st.text(widgets.number("Row", "row", 1, 1, 9))
        st.text(bound_settings.stored_text("kept"))


def open_app(**query: str | list[str]) -> AppTest:
    app = AppTest.from_function(script)
    app.query_params.update(query)
    return app.run()


def url_query(app: AppTest) -> dict:
    """The query in the URL; a name with one value has no list."""
    return {
        name: values[0] if isinstance(values, list) and len(values) == 1 else values
        for name, values in app.query_params.items()
    }


def test_the_sentence_is_always_in_the_url():
    assert url_query(open_app()) == {"text": "First."}
    assert url_query(open_app(method="beam")) == {"text": "First.", "method": "beam"}
    assert url_query(open_app(text="")) == {"text": ""}


def test_values_are_in_the_url_and_constant_defaults_are_not():
    app = open_app()
    app.segmented_control("method").set_value("beam").run()
    app.number_input("beam").set_value(2).run()
    assert url_query(app) == {"text": "First.", "method": "beam", "beam": "2"}
    app.segmented_control("method").set_value("greedy").run()
    assert url_query(app) == {"text": "First.", "beam": "2"}  # it comes back with its method
    app.segmented_control("method").set_value("beam").run()
    assert app.number_input("beam").value == 2


def test_junk_counts_as_the_default():
    app = open_app(text="A", method="<b>", beam="1e400", row=["1", "2"])
    assert app.segmented_control("method").value == "greedy"
    assert url_query(app) == {"text": "A", "beam": "1e400", "row": ["1", "2"]}  # no control has claimed these two
    app.segmented_control("method").set_value("beam").run()
    assert app.number_input("beam").value == 4
    assert "beam" not in url_query(app)
    assert not app.exception


def test_another_url_wins():
    app = open_app(text="A", method="beam", beam="2")
    app.text_input("text").set_value("B").run()
    app.query_params.clear()
    app.query_params["text"] = "C"
    app.run()
    assert (app.text_input("text").value, app.segmented_control("method").value) == ("C", "greedy")


def test_callbacks_set_controls_that_are_drawn_and_others():
    app = open_app()
    app.button[0].click().run()
    assert app.text_input("text").value == "Pressed."
    assert url_query(app) == {"text": "Pressed.", "row": "7"}
    app.button[1].click().run()
    assert url_query(app)["kept"] == "3-1" and app.text[-1].value == "3-1"
    app.button[2].click().run()
    assert "kept" not in url_query(app)


def test_a_page_s_own_settings_are_stored_for_it():
    app = open_app()
    app.session_state["page"] = "two"
    app.run()
    app.number_input("row").set_value(5).run()
    app.segmented_control("method").set_value("beam").run()
    assert url_query(app) == {"text": "First.", "method": "beam", "row": "5"}
    app.session_state["page"] = "one"
    app.query_params.clear()  # as the menu does
    app.run()
    assert url_query(app) == {"text": "First.", "method": "beam"}
    app.session_state["page"] = "two"
    app.query_params.clear()
    app.run()
    assert app.number_input("row").value == 5


@pytest.mark.parametrize("text", ["stop", "fail"])
def test_a_page_that_ends_early_writes_its_url(text):
    app = open_app()
    app.text_input("text").set_value(text).run()
    assert url_query(app) == {"text": text}
    assert bool(app.exception) == (text == "fail")


def test_lone_surrogates_are_replaced():
    app = AppTest.from_function(script)
    app.session_state["text"] = "a\ud800b"
    app.run()
    assert url_query(app) == {"text": "a\ufffdb"}
    assert app.text_input("text").value == "a\ufffdb"


def on_another_server(app: AppTest, **moved: str) -> AppTest:
    """The same browser after its server has gone: another one receives its widget values and its URL."""
    other = AppTest.from_function(script)
    other.query_params.update(url_query(app) | moved)
    return other._run(app._tree.get_widget_states())


def test_the_first_user_change_on_another_server_is_stored():
    app = open_app(text="A", method="beam", beam="2", kept="3-1")
    app.text_input("text").set_value("B")
    other = on_another_server(app)
    assert (other.text_input("text").value, other.number_input("beam").value) == ("B", 2)
    assert url_query(other) == {"text": "B", "method": "beam", "beam": "2", "kept": "3-1"}
    other.number_input("beam").set_value(3).run()
    assert url_query(other) == {"text": "B", "method": "beam", "beam": "3", "kept": "3-1"}
    other.number_input("beam").set_value(4)  # its default, which is not in the URL
    assert url_query(on_another_server(other)) == {"text": "B", "method": "beam", "kept": "3-1"}


def test_on_another_server_the_url_wins_over_an_invalid_widget_value():
    app = open_app(text="12345678", place="5")
    assert app.slider("place").value == 5
    app.text_input("text").set_value("123456")
    other = on_another_server(app)  # where the slider is another one, with other limits
    assert (other.text_input("text").value, other.slider("place").value) == ("123456", 5)
    assert url_query(other) == {"text": "123456", "place": "5"}
    other.slider("place").set_value(6).run()
    assert url_query(other) == {"text": "123456", "place": "6"}


def test_going_back_on_another_server_shows_what_the_url_contains():
    app = open_app(text="A")
    app.text_input("text").set_value("B")
    other = on_another_server(app, moved="1")
    assert other.text_input("text").value == "A"
    assert url_query(other) == {"text": "A"}


def script_that_asks_first() -> None:
    import streamlit as st

    from views.url_state import bound_settings

    name = st.session_state.get("page", "one")
    st.text(bound_settings.history_target(name))
    with bound_settings.page_run(name, "First."):
        pass


@pytest.mark.parametrize(("query", "target"), [({"moved": "1"}, "one"), ({"moved": "2"}, "None"), ({}, "None")])
def test_the_page_that_back_led_to_wins_over_a_request_of_the_page_that_was_left(query: dict, target: str):
    """The server drops such a request, but not after the browser has connected again."""
    app = AppTest.from_function(script_that_asks_first)
    app.query_params.update({"text": "A", "moved": "1"})
    app.run()
    app.session_state["page"] = "two"
    app.query_params.clear()
    app.query_params.update({"text": "A"} | query)
    assert app.run().text[0].value == target
