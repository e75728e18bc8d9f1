"""One run of a page, or of a part of it: it waits for its turn, and what it took is counted and logged."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from server import logs, metrics
from server.run_queue import Busy, Notice, Turn, Turns
from server.singleton import process_wide

_current: ContextVar[Turn | None] = ContextVar("turn", default=None)


@process_wide
def turns() -> Turns:
    """The queue of this server."""
    return Turns()


def rotate() -> None:
    """Between two steps of a long answer: let others go first, see `Turn.rotate`."""
    if turn := _current.get():
        turn.rotate()


def note(**sizes: int) -> None:
    """Add sizes, such as a number of tokens, to what will be logged about this run."""
    if turn := _current.get():
        turn.sizes |= {name: int(size) for name, size in sizes.items()}


def running() -> bool:
    """True while the thread that asks is in a run that has its turn."""
    return _current.get() is not None


@contextmanager
def visited(page: str, part: str, notice: Notice) -> Iterator[None]:
    """Surround a run of `page`, or of a `part` of it; both are names of this project's own.

    Args:
        notice: tells the visitor to wait, see `Turns.turn`.

    Raises:
        Busy: it did not get its turn.
    """
    came = time.perf_counter()
    outcome, turn = "ok", None
    try:
        with turns().turn(notice) as turn:
            token = _current.set(turn)
            try:
                yield
            finally:
                _current.reset(token)
    except BaseException as end:
        # What is no `Exception` is Streamlit's way to end a run early: the visitor left, or asked for something else.
        outcome = "refused" if isinstance(end, Busy) else "error" if isinstance(end, Exception) else "interrupted"
        raise
    finally:
        seconds = time.perf_counter() - came
        queued, sizes = (turn.queued, turn.sizes) if turn else (seconds, {})
        metrics.RUNS.labels(page, part, outcome).inc()
        metrics.ANSWERS.labels(page).observe(seconds)
        metrics.QUEUED.observe(queued)
        level = logging.ERROR if outcome == "error" else logging.INFO
        times = {"milliseconds": round(1000 * seconds), "queued": round(1000 * queued)}
        logs.event("run", level, page=page, part=part, outcome=outcome, **times, **sizes)
