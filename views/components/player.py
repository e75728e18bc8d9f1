"""A play button that goes through the steps of a page; hidden if the user prefers reduced motion."""

import streamlit as st

from ..text.catalogue import Message
from . import component

WORDS = {"play": Message("player.play", "\u25b6 Play"), "pause": Message("player.pause", "\u275a\u275a Pause")}

_MOUNT = component.Component("player", "player-root")


def player() -> None:
    """Mount it, next to the control with the key "step" or the buttons for the next step."""
    with st.container(width="content"):
        _MOUNT("play", {"words": component.translated(WORDS)})
