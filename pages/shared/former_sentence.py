"""The sentence that a visitor had translated last: its translation is a draft for the next one."""

from itertools import takewhile

import streamlit as st

from server import run_context

_FORMER = "former_sentence"  # in the session


def remember(text: str) -> None:
    """Store the sentence; outside a visitor's run there is nowhere to store it."""
    if run_context.is_running():
        st.session_state[_FORMER] = text


def similar_sentence(text: str) -> str | None:
    """Return the former sentence if it shares most of its words with `text`, at the beginning and the end; else None.

    The translation of another sentence would only make decoding slower.
    """
    former = st.session_state.get(_FORMER) if run_context.is_running() else None
    return former if former is not None and share_most_words(text, former) else None


def share_most_words(one: str, other: str) -> bool:
    """Whether two sentences have more than half of the words of the shorter one in common, at both ends together."""
    words, others = one.split(), other.split()
    alike = _leading(words, others) + _leading(words[::-1], others[::-1])
    return alike > min(len(words), len(others)) / 2


def _leading(words: list[str], others: list[str]) -> int:
    """Count the words before the first difference."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))
