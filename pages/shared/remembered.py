"""A text of one page that no widget holds: kept in the session and in the address bar."""

from __future__ import annotations

import streamlit as st


def remembered(name: str) -> str:
    """The text of this visit, or the one that the link brought; the address bar follows it."""
    if name not in st.session_state:
        st.session_state[name] = st.query_params.get(name, "")
    if st.session_state[name]:
        st.query_params[name] = st.session_state[name]
    elif name in st.query_params:
        del st.query_params[name]
    return st.session_state[name]


def remember(name: str, text: str) -> None:
    """Keep another text; an empty one leaves the address."""
    st.session_state[name] = text
