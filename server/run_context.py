"""The context of one run of a page or of a fragment: it waits for a slot, and is counted and logged."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from server import logs, metrics
from server.memory_budget import memory_growth
from server.run_queue import Busy, Notice, RunQueue, RunSlot
from server.singleton import singleton

_current: ContextVar[RunSlot | None] = ContextVar("slot", default=None)


@singleton
def run_queue() -> RunQueue:
    """The queue of this server."""
    return RunQueue()


def yield_slot() -> None:
    """Let waiting runs go first, between two steps of a long computation; see `RunSlot.yield_slot`."""
    memory_growth().trim()
    if slot := _current.get():
        slot.yield_slot()


def report_progress() -> None:
    """Store that this run makes progress; see `RunSlot.report_progress`."""
    if slot := _current.get():
        slot.report_progress()


def log_sizes(**sizes: int) -> None:
    """Add sizes, such as a number of tokens, to the log line of this run."""
    if slot := _current.get():
        slot.sizes |= {name: int(size) for name, size in sizes.items()}


def is_running() -> bool:
    """Whether the calling thread is in a run that has a slot."""
    return _current.get() is not None


@contextmanager
def queued_run(page: str, part: str, notice: Notice) -> Iterator[None]:
    """Wait for a slot, execute a run of `page` or of a `part` of it, and record it; both are this project's names.

    Args:
        notice: shows the visitor that the run waits, see `RunQueue.slot`.

    Raises:
        Busy: it got no slot.
    """
    start = time.perf_counter()
    outcome, slot = "ok", None
    try:
        with run_queue().slot(notice) as slot:
            token = _current.set(slot)
            try:
                yield
            finally:
                _current.reset(token)
    except BaseException as end:
        # Streamlit ends a run early by a `BaseException`: the visitor left, or requested something else.
        outcome = "refused" if isinstance(end, Busy) else "error" if isinstance(end, Exception) else "interrupted"
        raise
    finally:
        memory_growth().trim()
        seconds = time.perf_counter() - start
        queued, sizes = (slot.queued, slot.sizes) if slot else (seconds, {})
        metrics.RUNS.labels(page, part, outcome).inc()
        metrics.ANSWERS.labels(page).observe(seconds)
        metrics.QUEUED.observe(queued)
        level = logging.ERROR if outcome == "error" else logging.INFO
        times = {"milliseconds": round(1000 * seconds), "queued": round(1000 * queued)}
        logs.event("run", level, page=page, part=part, outcome=outcome, **times, **sizes)
