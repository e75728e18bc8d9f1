"""A token that the browser keeps for one tab, through reloads, until the tab closes; drawn by nothing on the page."""

import re
from collections.abc import Callable

import streamlit as st

from ..viewer import built_files

_TOKEN = re.compile(r"[\w-]{20,100}", re.ASCII)
_MOUNT = st.components.v2.component(
    "tab_memory", html='<div class="tab-memory-root" hidden></div>\n', js=built_files.loader("tab_memory")
)


def tab_memory(key: str, token: str, answered: bool, on_answer: Callable[[str], None]) -> None:
    """Let the browser keep a token, or ask it for the one of this tab.

    Args:
        token: to keep; if empty, the browser is asked.
        answered: whether it has answered already.
        on_answer: called with the tab's token, or "" if it has none.
    """

    def receive() -> None:
        sent = st.session_state[key].get("token") if key in st.session_state else None
        if sent is not None:
            on_answer(sent if valid_token(sent) else "")

    _MOUNT(key=key, data={"token": token, "answered": answered}, on_token_change=receive)


def valid_token(sent: object) -> bool:
    """Whether the browser sent something of the form of a token; it can send anything."""
    return isinstance(sent, str) and _TOKEN.fullmatch(sent) is not None
