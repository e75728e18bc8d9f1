"""What a target costs the model: piece by piece, with smoothed labels, as a gradient, and over the whole training."""

from __future__ import annotations

import streamlit as st

from pages.parts import loss_gradient, loss_pieces, training
from pages.shared.opening import Asked, opening
from views import controls, frame
from views.figures import bars, steps

PARTS = {
    "Piece by piece": loss_pieces.show,
    "Smoothing and gradient": loss_gradient.show,
    "Training curves": training.show,
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    asked = opening("loss")
    st.html(bars.STYLE + steps.STYLE)
    if asked.accepted:
        explore(asked)


@st.fragment
def explore(asked: Asked) -> None:
    """One part at a time; choosing another runs only this function again."""
    PARTS[controls.pick("What to look at", tuple(PARTS), "part")](asked)


frame.framed()
main()
