"""How a translation comes to be: step by step, from vector to piece, forced or free, and in a beam."""

from __future__ import annotations

import streamlit as st

from pages.parts import beam_search, decoding_step, linear_softmax, teacher_forcing
from pages.shared.opening import Asked, opening
from views import controls, frame
from views.figures import bars, steps

PARTS = {
    "Step by step": decoding_step.show,
    "Linear + softmax": linear_softmax.show,
    "Teacher forcing": teacher_forcing.show,
    "Beam search": beam_search.show,
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    asked = opening("decoding")
    st.html(bars.STYLE + steps.STYLE)
    if asked.accepted:
        explore(asked)


@st.fragment
def explore(asked: Asked) -> None:
    """One part at a time; choosing another runs only this function again."""
    PARTS[controls.pick("What to look at", tuple(PARTS), "part")](asked)


frame.framed()
main()
