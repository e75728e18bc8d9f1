"""The layout of the home page: sentence and translation, the stage, and links to the main pages."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from views.text.catalogue import Message

# Target page, what the user does there, and a detail.
LINKS = (
    ("attention", Message("home.heads", "Explore every head"), Message("home.heads.of", "every layer, every weight")),
    ("vision", Message("home.picture", "Give it a picture"), Message("home.picture.of", "a Transformer for pictures")),
    (
        "lessons",
        Message("home.learn", "Learn step by step"),
        Message("home.learn.of", "twelve predictions, twelve results"),
    ),
)


@dataclass(frozen=True)
class HomeLayout:
    """Containers of the home page: title and sentence box, translation, stage, and decoding options with examples."""

    header: DeltaGenerator
    translation: DeltaGenerator
    stage: DeltaGenerator
    options: DeltaGenerator


def render_layout() -> HomeLayout:
    """Render the links and return containers for the rest; web/src/page/content.css places all of them."""
    with st.container(key="home", gap="small"):
        header = st.container(key="home-header", gap="small")
        translation = st.empty()
        stage = st.container(key="home-stage")
        options = st.container(key="home-options", gap="small")
        with st.container(key="doors", gap="small"):
            for page, label, detail in LINKS:
                st.page_link(f"pages/{page}/page.py", label=f"**{label()}** *{detail()}*", width="stretch")
    return HomeLayout(header, translation, stage, options)
