"""An app for tests: only the choice of a picture, and the result of reading it."""

import contextlib

import streamlit as st

from server.viewer_files import viewer_route
from views import streamlit_internals
from views.controls.picture_input import picture_input
from views.url_state import bound_settings
from views.viewer import built_files


def render() -> None:
    streamlit_internals.keep_uploads_in_memory()
    st.set_page_config(layout="wide")
    st.title("Picture")
    with bound_settings.page_run("", "A sentence."):
        picture = picture_input(contextlib.nullcontext())
        st.text(f"sha256 {picture.sha256}")
        st.text(f"size {picture.size[0]} x {picture.size[1]}")
        for side, colour in zip(("top", "bottom"), picture.image.resize((1, 2)).get_flattened_data(), strict=True):
            st.text("{} red {} green {} blue {}".format(side, *colour))
        st.text("red {} green {} blue {}".format(*picture.image.resize((1, 1)).getpixel((0, 0))))


if __name__ == "__main__":  # run for each visitor
    render()
else:  # imported once, when the server starts
    app = st.App(__file__, routes=[viewer_route(built_files.ROUTE, built_files.answer)])
