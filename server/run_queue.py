"""The queue of runs: how many run at once, how many may wait and how long.

When other threads are busy, each of the thousand small operations of a translation waits for the interpreter, and
every answer takes many times as long. So only a few runs execute at once, the others wait in order of arrival, and a
run that has used up a slice of time goes to the end of the queue if others wait. Since it refers to what it has
computed so far, only a few runs are begun before one of them ends. A run that makes no progress, such as one whose
library waits for something, loses its slot after a while, so that others can run.
"""

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Lock

from server.limits import RunLimits

ReportAhead = Callable[[int], None]  # called in a waiting thread with the number of runs before it
Notice = Callable[[], AbstractContextManager[ReportAhead]]  # entered when a wait starts, left when it ends


class Busy(Exception):
    """The queue is full, or the visitor has waited too long; the message is one sentence for the visitor.

    Attributes:
        template: the sentence in English, with placeholders for `values`.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template, self.values = template, values


class RunQueue:
    """A bounded queue, first come, first served. Safe to use from several threads.

    Args:
        clock: seconds, for waiting.
        cpu_time: processor time of the calling thread, in seconds.
    """

    def __init__(
        self,
        limits: RunLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
        cpu_time: Callable[[], float] = time.thread_time,
    ) -> None:
        self.limits = limits or RunLimits()
        self.cpu_time = cpu_time
        self._clock = clock
        self._lock = Lock()
        self._queue: deque[Event] = deque()  # a ticket is an event, set when it gets a slot
        self._begun: set[Event] = set()  # tickets in the queue of runs that have had a slot
        self._running: dict[Event, float] = {}  # ticket -> time of its last progress
        self._stalled: set[Event] = set()  # tickets of runs that lost their slot and have not ended
        self._paused = False

    @property
    def waiting(self) -> int:
        """The number of waiting runs."""
        return len(self._queue)

    @property
    def running(self) -> int:
        """The number of runs that have a slot."""
        return len(self._running)

    @property
    def stalled(self) -> int:
        """The number of runs without progress that have lost their slot and go on."""
        return len(self._stalled)

    @property
    def blocked(self) -> int:
        """The number of slots held by runs without progress, which could not be given to others."""
        with self._lock:
            self._release_stalled()
            return sum(self._has_stalled(since) for since in self._running.values())

    def pause(self, paused: bool) -> None:
        """Start no further runs, or start them again; runs that have a slot go on."""
        with self._lock:
            self._paused = paused
            self._start_next()

    @contextmanager
    def slot(self, notice: Notice) -> Iterator["RunSlot"]:
        """Wait for a slot and release it at the end.

        `notice` shows the visitor that the run waits. It may raise, which leaves the queue, so that a visitor who has
        gone delays no other.

        Raises:
            Busy: see there.
        """
        slot = RunSlot(self, notice)
        try:
            slot._acquire()
            yield slot
        finally:
            self._leave(slot._ticket)

    def _enqueue(self, ticket: Event, last: Event | None) -> None:
        """Add a ticket to the queue, in place of the `last` one of a run that has begun."""
        with self._lock:
            if last is not None:
                self._remove(last)
                self._begun.add(ticket)
            elif len(self._queue) >= self.limits.waiting:
                raise Busy(
                    "{count} visitors are waiting already: please come again in a minute.", count=len(self._queue)
                )
            self._queue.append(ticket)
            self._start_next()

    def _wait(self, ticket: Event, report: ReportAhead, waited: float) -> None:
        """Wait until the ticket gets a slot; the same run has waited `waited` seconds already."""
        limits, start = self.limits, self._clock()
        pause = max(limits.notice_after - waited, limits.notice_after / 4)
        try:
            while not ticket.wait(pause):
                if self._clock() - start >= limits.patience:
                    raise Busy(
                        "Many visitors are here, and it was not your turn within {seconds:.0f} seconds: please try "
                        "again in a minute.",
                        seconds=limits.patience,
                    )
                report(self._ahead(ticket))
                pause = limits.notice_every
        except BaseException:
            self._leave(ticket)
            raise

    def _ahead(self, ticket: Event) -> int:
        """The number of runs that go before a waiting one."""
        with self._lock:
            self._release_stalled()
            if ticket not in self._queue:
                return len(self._running)
            before = set(itertools.takewhile(lambda each: each is not ticket, self._queue))
            before = before & self._begun if ticket in self._begun else before | self._begun
            return len(before) + len(self._running)

    def _leave(self, ticket: Event) -> None:
        """Release a slot, or leave the queue."""
        with self._lock:
            self._remove(ticket)
            self._start_next()

    def _remove(self, ticket: Event) -> None:
        self._running.pop(ticket, None)
        self._stalled.discard(ticket)
        self._begun.discard(ticket)
        if ticket in self._queue:
            self._queue.remove(ticket)

    def _start_next(self) -> None:
        while len(self._running) < self.limits.running and not self._paused and (ticket := self._next()) is not None:
            self._queue.remove(ticket)
            self._begun.discard(ticket)
            self._running[ticket] = self._clock()
            ticket.set()

    def _next(self) -> Event | None:
        """The first ticket that may get a slot: any of a run that has begun, else only if few have."""
        if len(self._running) + len(self._begun) < self.limits.begun:
            return self._queue[0] if self._queue else None
        return next((ticket for ticket in self._queue if ticket in self._begun), None)

    def _report_progress(self, ticket: Event) -> bool:
        """Store that a run made progress; False if it has lost its slot."""
        with self._lock:
            if ticket in self._running:
                self._running[ticket] = self._clock()
            return ticket in self._running

    def _has_stalled(self, since: float) -> bool:
        return self._clock() - since >= self.limits.stalled_after

    def _release_stalled(self) -> None:
        """Give the slots of runs without progress to waiting runs."""
        for ticket, since in list(self._running.items()):
            if self._has_stalled(since) and len(self._stalled) < self.limits.stalled:
                del self._running[ticket]
                self._stalled.add(ticket)
        self._start_next()


class RunSlot:
    """The slot of one run.

    Attributes:
        queued: seconds that the run has waited so far.
        sizes: sizes of the run's input and output, for the log.
    """

    def __init__(self, queue: RunQueue, notice: Notice) -> None:
        self.queued = 0.0
        self.sizes: dict[str, int] = {}
        self._queue, self._notice = queue, notice
        self._ticket = Event()
        self._cpu_start = 0.0

    def report_progress(self) -> None:
        """Count the time without progress from now on, if the run still has its slot."""
        self._queue._report_progress(self._ticket)

    def yield_slot(self) -> None:
        """Let waiting runs go first if this one has used up its slice of processor time; wait for a slot again.

        So does a run that has lost its slot meanwhile.

        Raises:
            Busy: it got no slot again in time.
        """
        queue = self._queue
        has_slot = queue._report_progress(self._ticket)
        used_up = queue.waiting and queue.cpu_time() - self._cpu_start >= queue.limits.slice_seconds
        if not has_slot or used_up:
            self._acquire(has_begun=True)

    def _acquire(self, has_begun: bool = False) -> None:
        last, self._ticket = self._ticket, Event()
        start = self._queue._clock()
        self._queue._enqueue(self._ticket, last if has_begun else None)
        with self._notice() as report:
            self._queue._wait(self._ticket, report, self.queued)
        self.queued += self._queue._clock() - start
        self._cpu_start = self._queue.cpu_time()
