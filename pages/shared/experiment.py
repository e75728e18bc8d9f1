"""An experiment that a teaching section proposes: a sentence, a button that runs it, and its computed result.

The texts are those of `assets/text/en/experiments.md`: `## id` proposes, `## id-found` states the result.
"""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from pages.shared.texts import paragraph
from views.text import literal
from views.text.catalogue import say
from views.url_state import bound_settings

PAGE = "experiments"
Action = Mapping[str, object] | Callable[[], None]  # settings with their new values, or a function that sets them


def render_experiment(id: str, action: Action, result: Mapping[str, object] | None, **values: object) -> None:
    """Render the proposal or, once the section shows what it proposes, the result.

    Args:
        result: values of the result's text; None while the section shows something else.
        values: of the proposal's text.
    """
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"experiment-{id}"):
        paragraph(PAGE, id, **values)
        if result is None:
            st.button(say("experiment.do", "Try it"), key=f"try-{id}", on_click=partial(_apply, action))
        else:
            paragraph(PAGE, f"{id}-found", **result)


def token_value(token: str) -> str:
    """Format a token's label as a value of these texts."""
    return literal.markdown(literal.token(token))


def _apply(action: Action) -> None:
    if callable(action):
        action()
    else:
        for name, value in action.items():
            bound_settings.set_value(name, value)
