"""How text becomes vectors: pieces, ids, embedding rows, scale and position; spellings, contexts, order, sizes."""

from __future__ import annotations

import streamlit as st

from pages.parts import contexts, embedding, sizes, vocabulary, word_order
from pages.shared.opening import Asked, opening
from views import controls, frame
from views.figures import bars

PARTS = {
    "Step by step": embedding.show,
    "Neighbours": vocabulary.neighbours,
    "Spelling": vocabulary.spelling,
    "One word, many contexts": contexts.show,
    "Word order": word_order.show,
    "Sizes": sizes.show,
}


def main() -> None:
    """Read the inputs, show the chosen part."""
    asked = opening("tokens")
    st.html(bars.STYLE)
    if asked.accepted:
        explore(asked)


@st.fragment
def explore(asked: Asked) -> None:
    """One part at a time; choosing another runs only this function again."""
    PARTS[controls.pick("What to look at", tuple(PARTS), "part")](asked)


frame.framed()
main()
