"""The views "Through the layers" and "Positions" of a tiny network, on their own: an app for tests."""

from pathlib import Path

import streamlit as st

from pages.vision.layers import render_layers
from pages.vision.positions import render_positions
from server.viewer_files import viewer_route
from tests.pages.vision.views import service, trace
from views.controls import widgets
from views.url_state import bound_settings
from views.viewer import built_files

PROJECT = Path(__file__).parents[2]
VIEWS = {"layers": render_layers, "positions": render_positions}


def render() -> None:
    st.set_page_config(layout="wide")
    st.html(PROJECT / "web/src/page/content.css")  # without it programs do not scroll
    st.title("Vision")
    with bound_settings.page_run("", "A sentence."):
        VIEWS[widgets.pick("View", tuple(VIEWS), "view")](service(), "noise", trace())


if __name__ == "__main__":  # run for each visitor
    render()
else:  # imported once, when the server starts
    app = st.App(__file__, routes=[viewer_route(built_files.ROUTE, built_files.answer)])
