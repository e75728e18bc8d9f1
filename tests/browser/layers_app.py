"""The views "Through the layers" and "Positions" of a tiny network, on their own: an app for tests."""

import streamlit as st

from pages.picture.layers import through_the_layers
from pages.picture.positions import positions
from tests.pages.vision_views import service, trace

VIEWS = {"layers": through_the_layers, "positions": positions}

st.set_page_config(layout="wide")
st.title("Vision")
view = st.segmented_control("View", tuple(VIEWS), default="layers", key="view", bind="query-params")
VIEWS[view or "layers"](service(), "noise", trace())
