"""One run of a page, or of a part of it: it waits for its turn, and what it took is counted and logged."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

import streamlit as st

from pages.shared import logs, metrics
from pages.shared.turns import Busy, Turn, Turns
from server.process_wide import process_wide
from views import frame
from views.address import settings
from views.text import waiting

P = ParamSpec("P")
R = TypeVar("R")

HOME = frame.PAGES[0][1]
_PAGE = "visited_page"  # in the session: which page a part belongs to


@dataclass
class Visit:
    """A run that has its turn, and how large was what it worked on."""

    turn: Turn
    sizes: dict[str, int] = field(default_factory=dict)


_current: ContextVar[Visit | None] = ContextVar("visit", default=None)


@process_wide
def turns() -> Turns:
    """The queue of this server."""
    return Turns()


def rotate() -> None:
    """Between two steps of a long answer: let others go first, see `Turn.rotate`."""
    visit = _current.get()
    if visit is not None:
        visit.turn.rotate()


def note(**sizes: int) -> None:
    """Add sizes, such as a number of pieces, to what will be logged about this run."""
    visit = _current.get()
    if visit is not None:
        visit.sizes |= {name: int(size) for name, size in sizes.items()}


def fragment(function: Callable[P, R]) -> Callable[P, R]:
    """`st.fragment` whose runs of its own take turns with everybody else's."""

    @functools.wraps(function)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
        if _current.get() is not None:  # the whole page runs and has its turn
            return function(*args, **kwargs)
        with settings.part(), visited(st.session_state.get(_PAGE, ""), function.__name__.strip("_")):
            return function(*args, **kwargs)

    return st.fragment(in_turn)


def framed() -> None:
    """First line of every page, see `views.frame.framed`."""
    frame.framed(visited)


@contextmanager
def visited(page: str, part: str = "") -> Iterator[None]:
    """Surround a run of `page`, or of a `part` of it; both are names of this project's own."""
    came = time.perf_counter()
    if page != HOME:
        # While another thread is in the middle of importing pandas, Plotly would find half of it and fail. The home
        # page draws nothing with Plotly, and is there sooner without.
        import pandas  # noqa: F401
    st.session_state[_PAGE] = page
    outcome, turn, sizes = "ok", None, {}
    try:
        with turns().turn(_notice) as turn:
            token = _current.set(Visit(turn, sizes))
            try:
                yield
            finally:
                _current.reset(token)
    except Busy as busy:
        outcome = "refused"
        st.warning(str(busy))
        settings.stop()
    except Exception:
        outcome = "error"
        raise
    except BaseException:  # Streamlit's way to end a run early: the visitor left, or asked for something else
        outcome = "interrupted"
        raise
    finally:
        seconds = time.perf_counter() - came
        queued = turn.queued if turn is not None else seconds
        metrics.RUNS.labels(page, part, outcome).inc()
        metrics.ANSWERS.labels(page).observe(seconds)
        metrics.QUEUED.observe(queued)
        level = logging.ERROR if outcome == "error" else logging.INFO
        times = {"milliseconds": round(1000 * seconds), "queued": round(1000 * queued)}
        logs.event("run", level, page=page, part=part, outcome=outcome, **times, **sizes)


@contextmanager
def _notice() -> Iterator[Callable[[int], None]]:
    """Tell a waiting visitor how many are before them, until it is their turn."""
    told = -1
    with ExitStack() as shown:

        def tell(before: int) -> None:
            nonlocal told
            _ = st.session_state.get(_PAGE)  # here Streamlit ends the run of a visitor who has gone
            if before != told:
                told = before
                shown.close()
                shown.enter_context(waiting.before_you(before))

        yield tell
