"""The check that an intervention did what it says, on every page that makes one."""

from __future__ import annotations

import streamlit as st

from model.attribution.intervened import Check
from pages.shared import checks
from views.text import prose
from views.text.catalogue import say


def show(check: Check) -> None:
    """Both figures, or the one there is, and what they mean."""
    lines = [prose.block("compare", "check", difference=checks.said("intervention", check.recomputed))]
    if check.edited is not None:
        edited = checks.said("edited weights", check.edited)
        lines.append(prose.block("compare", "check-by-weights", difference=edited))
    st.caption(" ".join(lines))
    with st.expander(say("shared.what-this-checks", "What this checks")):
        st.markdown(prose.block("compare", "what-this-checks"))
