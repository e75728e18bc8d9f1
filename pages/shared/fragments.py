"""Every run of a page, and of a part of it, takes its turn among the visitors, who are told when they have to wait."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import ParamSpec, TypeVar

import streamlit as st

from server import run_context
from server.run_queue import Busy
from views import navigation
from views.text import waiting
from views.text.catalogue import say_error
from views.url_state import bound_settings

P = ParamSpec("P")
R = TypeVar("R")

HOME = navigation.PAGES[0].id
_PAGE = "visited_page"  # in the session: which page a part belongs to


def fragment(function: Callable[P, R]) -> Callable[P, R]:
    """`st.fragment` whose runs of its own take turns with everybody else's.

    A request that it is given says its notices at the beginning of the part: into a place outside it, Streamlit lets a
    part write only what it has written there before.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from pages.shared.page_header import (
            Request,  # it imports the model, which the server that starts does not wait for
        )

        args = tuple(replace(each, notice=st.empty()) if isinstance(each, Request) else each for each in args)
        name = f"{function.__module__}.{function.__qualname__}"
        if run_context.is_running():  # the whole page runs and has its turn
            with bound_settings.open_part(name):
                return function(*args, **kwargs)
        with bound_settings.part_run(name), queued_run(st.session_state.get(_PAGE, ""), function.__name__.strip("_")):
            return function(*args, **kwargs)

    return st.fragment(run)


@contextmanager
def queued_run(page: str, part: str = "") -> Iterator[None]:
    """Surround a run of `page`, or of a `part` of it: it waits for its turn; who waits too long is told so."""
    # Two threads that import parts of one package in another order can wait for each other for ever. The warm-up begins
    # with the whole package, and so does everybody.
    import model  # noqa: F401

    if page != HOME:
        # While another thread is in the middle of importing pandas, Plotly would find half of it and fail. The home
        # page draws nothing with Plotly, and is there sooner without.
        import pandas  # noqa: F401
    st.session_state[_PAGE] = page
    try:
        with run_context.queued_run(page, part, _queue_notice):
            yield
    except Busy as busy:
        st.warning(say_error(busy))
        bound_settings.stop()


@contextmanager
def _queue_notice() -> Iterator[Callable[[int], None]]:
    """Tell a waiting visitor how many are before them, until it is their turn."""
    told = -1
    with ExitStack() as shown:

        def tell(before: int) -> None:
            nonlocal told
            _ = st.session_state.get(_PAGE)  # here Streamlit ends the run of a visitor who has gone
            if before != told:
                told = before
                shown.close()
                shown.enter_context(waiting.queue_notice(before))

        yield tell
