"""One experiment that a teaching part proposes: a sentence, a button that makes it, and its result, from the numbers.

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
Action = Mapping[str, object] | Callable[[], None]  # settings with the values that they get, or what sets them


def render_experiment(id: str, do: Action, found: Mapping[str, object] | None, **asked: object) -> None:
    """Propose it or, once the part is as it asks, state its result.

    Args:
        found: values of the result; None where the part shows something else.
        asked: values of the proposal.
    """
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"experiment-{id}"):
        paragraph(PAGE, id, **asked)
        if found is None:
            st.button(say("experiment.do", "Try it"), key=f"try-{id}", on_click=partial(_apply, do))
        else:
            paragraph(PAGE, f"{id}-found", **found)


def token_value(token: str) -> str:
    """A token's label as a value of these texts."""
    return literal.markdown(literal.token(token))


def _apply(do: Action) -> None:
    if callable(do):
        do()
    else:
        for name, value in do.items():
            bound_settings.set_value(name, value)
