"""The tutorials' sentence about the tired animal: which noun the model takes *it* for, read off its translation."""

import re

import streamlit as st

from pages.shared.opening import Request
from pages.shared.texts import block
from views.address import settings
from views.controls import inputs
from views.text.catalogue import say

# The pronoun that French needs for each sentence: *animal* is masculine, *rue* feminine.
RIGHT = {inputs.TIRED: "il", inputs.WIDE: "elle"}
_PRONOUN = re.compile(r"\b(il|elle)\b", re.IGNORECASE)


def say_what_it_is(request: Request, translation: str) -> None:
    """Under one of the two sentences: what the model makes of it, and a link that compares the pair."""
    if request.text not in RIGHT:
        return
    found = _PRONOUN.search(translation)
    id = "referent-unsaid"
    if found:
        pronoun = found[0].lower()
        id = f"referent-{pronoun}" + ("" if pronoun == RIGHT[request.text] else "-wrong")
    st.markdown(block("notices", id))
    other = inputs.WIDE if request.text == inputs.TIRED else inputs.TIRED
    query = settings.shared() | {"b": "other", "other": other}
    st.page_link("pages/compare/page.py", label=say("referent.compare", "Compare tired and wide"), query_params=query)
