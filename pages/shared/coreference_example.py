"""The tutorials' sentence about the tired animal: which noun *it* refers to, according to the model's translation."""

import re

import streamlit as st

from pages.shared.page_header import Request
from pages.shared.texts import block
from views.controls import sentence_input
from views.text.catalogue import say
from views.url_state import bound_settings

# The pronoun that French needs for each sentence: *animal* is masculine, *rue* feminine.
RIGHT = {sentence_input.TIRED: "il", sentence_input.WIDE: "elle"}
_PRONOUN = re.compile(r"\b(il|elle)\b", re.IGNORECASE)


def render_coreference(request: Request, translation: str) -> None:
    """Below one of the two sentences, render how the model resolved *it*, and a link that compares the pair."""
    if request.text not in RIGHT:
        return
    match = _PRONOUN.search(translation)
    id = "referent-unsaid"
    if match:
        pronoun = match[0].lower()
        id = f"referent-{pronoun}" + ("" if pronoun == RIGHT[request.text] else "-wrong")
    st.markdown(block("notices", id))
    other = sentence_input.WIDE if request.text == sentence_input.TIRED else sentence_input.TIRED
    query = bound_settings.shared_query() | {"b": "other", "other": other}
    st.page_link("pages/compare/page.py", label=say("referent.compare", "Compare tired and wide"), query_params=query)
