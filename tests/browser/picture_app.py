"""Only the choice of a picture, and what it gave: an app for tests."""

import streamlit as st

from views.address import settings
from views.controls import uploads
from views.controls.picture_input import picture_input

uploads.keep_in_memory()
st.set_page_config(layout="wide")
st.title("Picture")
with settings.page("", "A sentence."):
    picture = picture_input()
    st.text(f"sha256 {picture.sha256}")
    st.text(f"size {picture.size[0]} x {picture.size[1]}")
    st.text("red {} green {} blue {}".format(*picture.image.resize((1, 1)).getpixel((0, 0))))
