"""The views "Through the layers" and "Positions" of a tiny network, on their own: an app for tests."""

import streamlit as st

from pages.vision.layers import render_layers
from pages.vision.positions import render_positions
from tests.pages.vision.views import service, trace
from views.controls import widgets
from views.url_state import bound_settings

VIEWS = {"layers": render_layers, "positions": render_positions}

st.set_page_config(layout="wide")
st.title("Vision")
with bound_settings.page_run("", "A sentence."):
    VIEWS[widgets.pick("View", tuple(VIEWS), "view")](service(), "noise", trace())
