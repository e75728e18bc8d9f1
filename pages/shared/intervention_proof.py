"""The check that an intervention did what it says, on every page that makes one."""

from __future__ import annotations

import streamlit as st

from model.intervened import Proof
from views import prose
from views.numbers import three_digits


def show(proof: Proof) -> None:
    """Both figures, or the one there is, and what they mean."""
    said = [("Proof", proof.recomputed)] + ([("Proof by weights", proof.edited)] if proof.edited is not None else [])
    st.caption(" ".join(prose.block("compare", name).format(difference=three_digits(figure)) for name, figure in said))
    with st.expander("What this checks"):
        st.markdown(prose.block("compare", "What this checks"))
