"""The views "Through the layers" and "Positions" of a tiny network, on their own: an app for tests."""

import streamlit as st

from pages.vision.layers import through_the_layers
from pages.vision.positions import positions
from tests.pages.vision.views import service, trace
from views.controls import widgets
from views.url_state import bound_settings

VIEWS = {"layers": through_the_layers, "positions": positions}

st.set_page_config(layout="wide")
st.title("Vision")
with bound_settings.page("", "A sentence."):
    VIEWS[widgets.pick("View", tuple(VIEWS), "view")](service(), "noise", trace())
