"""What sets settings, when messages arrive that were sent before the browser received the last answer."""

from __future__ import annotations

from dataclasses import asdict

from streamlit.testing.v1 import AppTest

from model import DecodingOptions
from views.controls.sentence_input import DEFAULT, EXAMPLES, Decoding

OTHER = EXAMPLES[1]


def script() -> None:
    from functools import partial

    import streamlit as st

    from views.controls import sentence_input, widgets
    from views.url_state import bound_settings

    with bound_settings.page_run("translate", sentence_input.DEFAULT):
        text = sentence_input.sentence()
        sentence_input.examples(text)
        widgets.pick("Mask", ("causal", "none"), "mask", on_change=partial(bound_settings.store_text, "painted", ""))
        st.text(bound_settings.stored_text("painted"))


def open_app(**query: str) -> AppTest:
    app = AppTest.from_function(script)
    app.query_params.update(query)
    return app.run()


def enter(app: AppTest, text: str) -> AppTest:
    return app.text_input("text").set_value(text).run()


def mark(app: AppTest, example: str) -> AppTest:
    """Let the browser report that this example is marked."""
    pills = next(group for group in app.get("pills") if group.key == "example")
    return pills.set_value(example).run()


def at(app: AppTest, **query: str) -> AppTest:
    """Let the browser show the address with this query."""
    app.query_params.clear()
    app.query_params.update(query)
    return app


def test_a_pressed_example_is_the_sentence():
    app = mark(open_app(), OTHER)
    assert app.text_input("text").value == OTHER
    assert mark(app, DEFAULT).text_input("text").value == DEFAULT


def test_an_example_that_is_still_marked_does_not_replace_the_sentence_that_was_entered():
    app = enter(open_app(text=DEFAULT), OTHER)
    mark(at(app, text=DEFAULT), DEFAULT)  # sent before the answer arrived, such as what is typed on the stage
    assert app.text_input("text").value == OTHER
    mark(at(app, text=OTHER), DEFAULT)  # afterwards it was pressed
    assert app.text_input("text").value == DEFAULT


def test_a_callback_of_buttons_is_called_for_a_choice_alone():
    app = open_app(text=DEFAULT, mask="none", painted="3-1")
    answered = {"text": "A", "painted": "3-1"}
    at(app, **answered, moved="1").run()  # Back to an address with the causal mask
    mask = app.segmented_control("mask")
    assert mask.value == "causal"
    at(app, **answered, moved="1")
    mask.set_value("none").run()  # the browser shows it until the answer arrives
    assert app.text[0].value == "3-1"
    at(app, **answered)
    app.segmented_control("mask").set_value("none").run()
    assert app.text[0].value == ""


def test_controls_start_at_the_defaults_of_the_package() -> None:
    own, options = asdict(Decoding()), asdict(DecodingOptions())
    assert own == {name: options[name] for name in own}
