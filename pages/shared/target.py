"""The French target that the reader types, on every page that scores or forces one."""

from __future__ import annotations

import streamlit as st

from model import InputError, Trace
from pages.shared.opening import Request
from views.address import settings
from views.controls import widgets
from views.text import literal
from views.text.catalogue import say, say_error

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
        say("target.label", "French target"),
        "target",
        "",
        placeholder=literal.visible(own.target_text),
        help=say(
            "target.help",
            "Any French, right or wrong. While the box is empty, the model\u2019s own translation is the target.",
        ),
    )
    reference = REFERENCES.get(request.text)
    with st.container(horizontal=True):
        own_again = say("target.own", "The model\u2019s own")
        st.button(own_again, key="take_own", on_click=_fill, args=("",), disabled=not typed.strip())
        if reference:
            taken = typed == reference
            a_person = say("target.person", "A person\u2019s")
            st.button(a_person, key="take_reference", on_click=_fill, args=(reference,), disabled=taken)
        taken = (request.text, typed) == PAIR
        pair = say("target.pair", "The tutorial\u2019s pair")
        if st.button(pair, key="take_pair", on_click=_fill_pair, disabled=taken):
            st.rerun()  # the whole page, for the sentence changes too
    if not typed.strip():
        return own
    try:
        return request.service.forced(request.text, typed)
    except InputError as error:
        empty = "nothing to translate" in error.template
        nothing = say("target.nothing", "There is nothing to see in the target: type some French, or empty the box.")
        st.warning(literal.markdown(nothing if empty else say_error(error)))
        return None


def _fill(text: str) -> None:
    settings.choose("target", text)


def _fill_pair() -> None:
    settings.choose("text", PAIR[0])
    settings.choose("target", PAIR[1])
