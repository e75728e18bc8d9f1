"""Notices to a visitor who waits: for other visitors' runs, or for long work."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import streamlit as st

from .. import palette
from ..controls import sentence_input
from .catalogue import say, say_count

SILENCE = 0.4  # seconds of work before progress is shown
REPEAT = 0.2  # seconds between two updates


def queue_notice(count: int) -> AbstractContextManager[None]:
    """Context that shows how many visitors are before this one in the queue."""
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
    """Context that shows the progress of long work. It yields a function to call with steps done and total."""
    updated = clock() + SILENCE - REPEAT
    with ExitStack() as notice:

        def update(done: int, total: int) -> None:
            nonlocal updated
            if done < total and clock() - updated >= REPEAT:
                updated = clock()
                notice.close()
                share = 100 * done // total
                notice.enter_context(
                    _notice(say("waiting.progress", "This input is long: {share} % of the work is done.", share=share))
                )

        yield update


def _notice(text: str) -> AbstractContextManager[None]:
    """Show a text at the lower edge of the window, where it is always visible and moves nothing else."""
    background, border = palette.SECONDARY[sentence_input.theme()]
    st.html(
        "<style>.stSpinner {position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); z-index: 1000; "
        "width: max-content !important; max-width: calc(100vw - 2rem); padding: .6rem 1rem; border-radius: 6px; "
        f"background: {background}; border: 1px solid {border}}}</style>"
    )
    return st.spinner(text)
