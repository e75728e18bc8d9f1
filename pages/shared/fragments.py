"""Fragments and queued runs: each run of a page or of a fragment waits for a slot, with a notice to the visitor."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from server import run_context
from server.memory_budget import Retained, ScreenMemory
from server.run_queue import Busy
from views import navigation, streamlit_internals
from views.text import literal, waiting
from views.text.catalogue import say_error
from views.url_state import bound_settings

P = ParamSpec("P")
R = TypeVar("R")

HOME = navigation.PAGES[0].id
_PAGE = "visited_page"  # in the session: the page that its fragments belong to


def fragment(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap `st.fragment`: a rerun of the fragment alone waits in the run queue.

    A `Request` among the arguments gets a new container for its notices at the beginning of the fragment: elsewhere,
    Streamlit lets a fragment write only what it has written there before. Streamlit stores the arguments for further
    runs; they are released when memory is short, and the fragment then runs its whole page instead.
    """
    call: Callable[..., R] = function

    @functools.wraps(function)
    def run(retained: Retained[tuple[tuple[Any, ...], dict[str, Any]]]) -> R:
        from pages.shared.page_header import Request  # imports the model: too slow while the server starts

        if retained.value is None:
            st.rerun()
        arguments, options = retained.value
        arguments = tuple(replace(each, notice=st.empty()) if isinstance(each, Request) else each for each in arguments)
        name = f"{function.__module__}.{function.__qualname__}"
        if run_context.is_running():  # part of a run of the whole page
            with bound_settings.open_part(name), _errors_as_warnings():
                return call(*arguments, **options)
        page, part = st.session_state.get(_PAGE, ""), function.__name__.strip("_")
        with bound_settings.part_run(name), queued_run(page, part), _errors_as_warnings():
            return call(*arguments, **options)

    run_again = st.fragment(run)

    @functools.wraps(function)
    def retain_and_run(*arguments: P.args, **options: P.kwargs) -> R:
        return run_again(current_screen().retain((arguments, options)))

    return retain_and_run


@contextmanager
def _errors_as_warnings() -> Iterator[None]:
    """Render an error that is a sentence where the page or the fragment is, and end the run."""
    from model.runtime.messages import UserError  # imports the model, as above

    try:
        yield
    except UserError as error:
        st.warning(literal.with_code(say_error(error)))
        bound_settings.stop()


@contextmanager
def queued_run(page: str, part: str = "") -> Iterator[None]:
    """Wait for a slot of the run queue for `page`, or a `part` of it; render an error if the wait is too long."""
    # Two threads that import modules of one package in different orders can deadlock. The warm-up imports the whole
    # package first, and so does every run.
    import model  # noqa: F401

    if page != HOME:
        # Plotly fails if another thread has imported pandas only in part. The home page has no Plotly chart, and is
        # faster without.
        import pandas  # noqa: F401
    st.session_state[_PAGE] = page
    try:
        with run_context.queued_run(page, part, _queue_notice):
            if not part:
                current_screen().begin_page()
                store_sentence("")
            try:
                with _errors_as_warnings():
                    yield
            finally:
                charge_screen()
    except Busy as busy:
        st.warning(say_error(busy))
        bound_settings.stop()


@contextmanager
def _queue_notice() -> Iterator[Callable[[int], None]]:
    """Show a waiting visitor how many runs are before theirs, until it starts."""
    last = -1
    with ExitStack() as notice:

        def update(before: int) -> None:
            nonlocal last
            _ = st.session_state.get(_PAGE)  # here Streamlit ends the run of a visitor who has left
            if before != last:
                last = before
                notice.close()
                notice.enter_context(waiting.queue_notice(before))

        yield update


# The memory of this visit's open page; see `server.memory_budget`.

_SCREEN = "screen_memory"
_SENTENCE = "shown_sentence"


def current_screen() -> ScreenMemory:
    """Return what the open page of this visit refers to."""
    if _SCREEN not in st.session_state:
        st.session_state[_SCREEN] = ScreenMemory(streamlit_internals.session_id())
    return st.session_state[_SCREEN]


def shown_sentence() -> str:
    """Return the sentence that the open page is about; empty where its box is not on the page."""
    return st.session_state.get(_SENTENCE, "")


def store_sentence(text: str) -> None:
    """Store what `shown_sentence` returns until the page runs again."""
    st.session_state[_SENTENCE] = text


def charge_screen() -> None:
    """Count what this visit retains, at the end of a run."""
    from views.controls.picture_input import OWN_PICTURES  # imports NumPy: too slow while the server starts

    current_screen().charge([st.session_state.get(name) for name in OWN_PICTURES])
