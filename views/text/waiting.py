"""What a visitor sees who has to wait: for others, or for long work."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import streamlit as st

from .. import palette
from ..controls import sentence_input
from .catalogue import say, say_count

SILENCE = 0.4  # seconds of work before a reader is told how far it is
REPEAT = 0.2  # seconds between two such messages


def queue_notice(count: int) -> AbstractContextManager[None]:
    """Say how many visitors come first, while the context lasts."""
    return _notice(
        say_count(
            "waiting.before",
            "{count} visitor is before you; your answer follows by itself.",
            "{count} visitors are before you; your answer follows by itself.",
            count,
        )
    )


@contextmanager
def progress(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int, int], None]]:
    """Say how far long work is: gives a function to call with how many parts are done, and of how many."""
    told = clock() + SILENCE - REPEAT
    with ExitStack() as shown:

        def tell(done: int, total: int) -> None:
            nonlocal told
            if done < total and clock() - told >= REPEAT:
                told = clock()
                shown.close()
                share = 100 * done // total
                shown.enter_context(
                    _notice(say("waiting.progress", "This input is long: {share} % of the work is done.", share=share))
                )

        yield tell


def _notice(words: str) -> AbstractContextManager[None]:
    """Words at the lower edge of the window, so that nothing moves when they come and go, and they are always seen."""
    background, border = palette.SECONDARY[sentence_input.theme()]
    st.html(
        "<style>.stSpinner {position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); z-index: 1000; "
        "width: max-content !important; max-width: calc(100vw - 2rem); padding: .6rem 1rem; border-radius: 6px; "
        f"background: {background}; border: 1px solid {border}}}</style>"
    )
    return st.spinner(words)
