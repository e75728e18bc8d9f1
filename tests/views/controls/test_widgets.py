"""Widgets whose limits and options may change with the sentence."""

import logging

from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from views.controls import widgets

    top = int(st.number_input("top", 5, 100, 50, key="top"))
    options = ["a", "b", "c"] if top > 20 else ["x", "y"]
    st.text(widgets.slider("slider", "slider", 40, 1, top))
    st.text(widgets.select("select", options, "select", "b" if top > 20 else ""))
    st.text(widgets.decimal("decimal", "decimal", 1.0, 0.5, 2.0, 0.1))


def rendered_texts(app: AppTest) -> list[str]:
    return [text.value for text in app.text]


def test_a_value_outside_new_limits_moves_without_a_warning(caplog):
    app = AppTest.from_function(script)
    app.query_params.update({"slider": "45", "decimal": "1.5"})
    assert rendered_texts(app.run()) == ["45", "b", "1.5"]
    app.slider("slider").set_value(44)
    app.selectbox("select").set_value("c")
    assert rendered_texts(app.run()) == ["44", "c", "1.5"]
    app.number_input("top").set_value(10)
    assert rendered_texts(app.run()) == ["10", "x", "1.5"]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING and "default" in record.msg] == []
    assert not app.exception and not app.warning


def test_an_invalid_value_in_the_url_counts_as_the_default():
    app = AppTest.from_function(script)
    app.query_params.update({"slider": "999", "select": "<b>", "decimal": "nan"})
    assert rendered_texts(app.run()) == ["40", "b", "1.0"]
    assert not app.exception
