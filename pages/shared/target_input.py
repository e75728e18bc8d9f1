"""Controls for a target, on every page that scores or forces one: its text, and one of its steps."""

import streamlit as st

from model import InputError, Trace
from pages.shared.page_header import Request
from pages.shared.texts import block
from views.components.player import player
from views.controls import widgets
from views.text import literal
from views.text.catalogue import Untranslated, say, say_error
from views.url_state import bound_settings

# Human translations of the example sentences.
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


def choose_target(request: Request) -> Trace | None:
    """Render a box for a target; return the pass over it, over the model's own translation while it is empty.

    Returns None, after rendering the reason, if the target cannot be used.
    """
    own = request.trace()
    label, help = say("target.label", "French target"), " ".join(block("notices", "target-help").split())
    typed = widgets.text(label, "target", "", Untranslated(literal.visible(own.target_text))(), help=help)
    reference = REFERENCES.get(request.text)
    with st.container(horizontal=True):
        own_again = say("target.own", "The model\u2019s own")
        st.button(
            own_again,
            key="take_own",
            on_click=bound_settings.set_value,
            args=("target", ""),
            disabled=not typed.strip(),
        )
        if reference:
            label, fill = say("target.person", "A person\u2019s"), ("target", reference)
            st.button(
                label, key="take_reference", on_click=bound_settings.set_value, args=fill, disabled=typed == reference
            )
        pair, is_pair = say("target.pair", "The tutorial\u2019s pair"), (request.text, typed) == PAIR
        if st.button(pair, key="take_pair", on_click=_fill_pair, disabled=is_pair):
            st.rerun()  # the whole page, for the sentence changes too
    if not typed.strip():
        return own
    try:
        return request.service.trace_of_target(request.text, typed)
    except InputError as error:
        empty = "nothing to translate" in error.template
        st.warning(block("notices", "target-nothing") if empty else literal.markdown(say_error(error)))
        return None


def _fill_pair() -> None:
    bound_settings.set_value("text", PAIR[0])
    bound_settings.set_value("target", PAIR[1])


def step_buttons(last: int, label: str) -> int:
    """Render two buttons and a slider.

    Args:
        last: the number of steps; the first is 1.
        label: of the slider.

    Returns:
        The chosen step, from 1 to `last`, whatever value the address or an earlier, longer sentence left.
    """
    if last == 1:
        st.caption(say("stepper.only", "{label}: there is only one.", label=label))
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slot = st.container(width="stretch")
        back, on = st.container(width="content"), st.container(width="content")
        player()
    with slot:
        step = widgets.slider(label, "step", 1, 1, last)
    back.button(say("stepper.back", "\u2190 Back"), key="step_back", disabled=step == 1, on_click=_go, args=(-1, last))
    forward = say("stepper.forward", "Forward \u2192")
    on.button(forward, key="step_forward", disabled=step == last, on_click=_go, args=(1, last))
    return step


def _go(by: int, last: int) -> None:
    bound_settings.set_value("step", min(max(bound_settings.current_value("step") + by, 1), last))
