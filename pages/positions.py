"""The positions that are added to the embeddings: what they look like, why they are sinusoids, what they do."""

from __future__ import annotations

import streamlit as st

from pages.parts import position_basis, position_effects, position_schemes, position_shift, position_table
from pages.shared.opening import Asked, opening
from views import controls, frame
from views.figures import bars

PARTS = {
    "Table and curves": position_table.table,
    "Wavelengths": position_table.waves,
    "Why sinusoids": position_schemes.show,
    "Similarity": position_shift.similar,
    "Rotation": position_shift.rotated,
    "Orthogonality": position_basis.orthogonal,
    "A basis": position_basis.basis,
    "In the trained model": position_effects.show,
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    asked = opening("positions")
    st.html(bars.STYLE)
    if asked.accepted:
        explore(asked)


@st.fragment
def explore(asked: Asked) -> None:
    """One part at a time; choosing another runs only this function again."""
    PARTS[controls.pick("What to look at", tuple(PARTS), "facet")](asked)


frame.framed()
main()
