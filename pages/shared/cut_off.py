"""What every page says where a translation is not whole."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from views.text import prose
from views.text.catalogue import say


def say_if_cut(finished: bool, what: str = "", at: DeltaGenerator | None = None) -> None:
    """One sentence if the model had not ended a translation when it reached the limit of its length.

    Args:
        finished: whether the translation ends with `</s>`.
        what: was cut off, as the page says it; begins the sentence.
        at: where it stands; by default here.
    """
    if not finished:
        (at or st).info(prose.block("notices", "cut-off", what=what or say("cut-off.translation", "The translation")))
