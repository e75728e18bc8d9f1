"""The French target that the reader types, on every page that scores or forces one."""

from __future__ import annotations

import streamlit as st

from model import InputError, Trace
from pages.shared.opening import Request
from views.address import settings
from views.controls import widgets
from views.text import literal

# What a person would write for the sentences the app offers to begin with.
REFERENCES = {
    "I am a student.": "Je suis un \u00e9tudiant.",
    "I want to buy a car.": "Je veux acheter une voiture.",
    "The animal didn't cross the street because it was too tired.": (
        "L'animal n'a pas travers\u00e9 la rue parce qu'il \u00e9tait trop fatigu\u00e9."
    ),
    "Where did you learn to cook?": "O\u00f9 avez-vous appris \u00e0 faire la cuisine ?",
    "She gave him the book that he had lost.": "Elle lui a donn\u00e9 le livre qu'il avait perdu.",
    "We would rather stay at home tonight.": "Nous aimerions mieux rester \u00e0 la maison ce soir.",
}
PAIR = ("I want to buy a car.", "Je veux acheter une voiture.")


def target(request: Request) -> Trace | None:
    """A box for a target; returns the pass over it, over the model's own translation while the box is empty.

    None where the target cannot be used; the reason is then on the page.
    """
    own = request.trace()
    typed = widgets.text(
        "French target",
        "target",
        "",
        placeholder=literal.visible(own.target_text),
        help="Any French, right or wrong. While the box is empty, the model\u2019s own translation is the target.",
    )
    reference = REFERENCES.get(request.text)
    with st.container(horizontal=True):
        st.button("The model\u2019s own", key="take_own", on_click=_fill, args=("",), disabled=not typed.strip())
        if reference:
            taken = typed == reference
            st.button("A person\u2019s", key="take_reference", on_click=_fill, args=(reference,), disabled=taken)
        taken = (request.text, typed) == PAIR
        if st.button("The tutorial\u2019s pair", key="take_pair", on_click=_fill_pair, disabled=taken):
            st.rerun()  # the whole page, for the sentence changes too
    if not typed.strip():
        return own
    try:
        return request.service.forced(request.text, typed)
    except InputError as error:
        empty = "nothing to translate" in str(error)
        reason = "There is nothing to see in the target: type some French, or empty the box." if empty else str(error)
        st.warning(literal.markdown(reason))
        return None


def _fill(text: str) -> None:
    settings.choose("target", text)


def _fill_pair() -> None:
    settings.choose("text", PAIR[0])
    settings.choose("target", PAIR[1])
