"""The search for text that is not in the catalogue finds it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pseudo import in_html, outside_brackets, uncatalogued_texts


@pytest.mark.parametrize(
    ("text", "left"), [("\u27e6a \u27e6b\u27e7 c\u27e7 d", " d"), ("plain", "plain"), ("\u27e6all\u27e7", "")]
)
def test_outside(text, left):
    assert outside_brackets(text) == left


def test_html_marked_as_data_is_ignored():
    content = (
        '<style>p {margin: 0}</style><p title="tip">seen<br><b data-said="token">chat<i>s</i></b></p>'
        '<table aria-label="name"><tr><td data-said="number">12 million</td><td>cell</td></tr></table>'
    )
    assert in_html(content) == ["tip", "seen", "name", "cell"]


def script() -> None:
    import streamlit as st

    st.markdown("\u27e6said\u27e7 $formula$ `code`")
    st.caption("past the catalogue")
    st.selectbox("\u27e6Query\u27e7", ["strongest", "1", "2"], format_func=lambda id: id if id == "1" else f"{id} want")
    st.button("\u27e6All\u27e7", help="a hint")
    st.html("<p>\u27e6said\u27e7</p><p>unsaid</p>")


def test_every_kind_of_element_is_inspected():
    assert uncatalogued_texts(AppTest.from_function(script).run()) == [
        "caption: past the catalogue",
        "help of button: a hint",
        "option of None: strongest want",
        "option of None: 2 want",
        "html: unsaid",
    ]
