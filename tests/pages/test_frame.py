"""What surrounds every page."""

import gc
import sys

import streamlit as st


def test_what_a_page_loaded_is_not_looked_through_after_each_run(open_app):
    st.cache_resource.clear()
    gc.unfreeze()
    open_app()
    looked_through = {id(thing) for thing in gc.get_objects()}
    assert id(sys.modules["torch"].nn.Module) not in looked_through
