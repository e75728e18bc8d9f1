"""How every text page begins: title, what to look for, the sentence and how it is to be translated."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from model import DecodingOptions, InputError, Trace
from pages.shared.service import Service, accepted, open_service
from views import inputs, literal, prose
from views.figures import pieces


@dataclass(frozen=True)
class Asked:
    """What the person asked for, with the loaded translator that answers."""

    service: Service
    text: str
    options: DecodingOptions
    accepted: bool  # False: the model does not take this text, and the reason is on the page

    def trace(self) -> Trace:
        """Everything the network computes for the sentence and its translation; kept for the next page."""
        return self.service.trace(self.text, self.options)


def opening(page: str, examples: bool = False) -> Asked:
    """Show the beginning of the page whose text is `assets/text/en/<page>.md`, and return what was asked.

    Args:
        examples: offer sentences to begin with.
    """
    st.html(pieces.STYLE)
    st.title(prose.title(page), anchor=False)
    st.markdown(prose.lead(page))
    box, method = st.columns([5, 3], gap="medium")
    with box:
        text = inputs.sentence()
    with method:
        chosen = inputs.decoding()
    if examples:
        inputs.examples(text)
    service = open_service()
    return Asked(service, text, DecodingOptions(**vars(chosen)), accepted(service, text))


def usable(asked: Asked, text: str, name: str) -> bool:
    """True if the model takes `text`, typed into a page's own box called `name`; else the reason is on the page."""
    try:
        asked.service.translator.check(text)
    except InputError as error:
        st.warning(literal.markdown(f"{name}: {error}"))
        return False
    return True
