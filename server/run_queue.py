"""Visitors take turns: how many run at once, how many may wait, how long, and what a waiting visitor is told.

Beside other busy threads each of the thousand small operations of a translation waits for the interpreter, and every
answer takes many times as long as alone. So only a few runs go on at once, the others wait in the order in which they
came, and whoever has used up a slice of time goes to the end of the queue while others wait.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Lock

from server.limits import Limits

Tell = Callable[[int], None]  # called now and then in a waiting thread with the number of visitors before it
Notice = Callable[[], AbstractContextManager[Tell]]  # entered when a wait begins, left when it ends


class Busy(Exception):
    """The queue is full, or the visitor has waited too long; the message is one sentence that says what to do.

    Attributes:
        template: the sentence in English, with places for `values`.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template, self.values = template, values


class Turns:
    """A bounded queue, first come, first served. Safe to use from several threads.

    Args:
        clock: seconds, for waiting.
        worked: seconds that the thread which asks has used of the processor.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.thread_time,
    ) -> None:
        self.limits = limits or Limits()
        self.worked = worked
        self._clock = clock
        self._lock = Lock()
        self._queue: deque[Event] = deque()  # a ticket is an event, set when it is called
        self._running: set[Event] = set()
        self._held = False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    @property
    def running(self) -> int:
        """How many have their turn."""
        return len(self._running)

    def hold(self, held: bool) -> None:
        """From now on call nobody, or call again; whoever has a turn keeps it."""
        with self._lock:
            self._held = held
            self._call_next()

    @contextmanager
    def turn(self, notice: Notice) -> Iterator["Turn"]:
        """Wait for a turn and give it back at the end.

        `notice` tells the visitor to wait; it may raise, which leaves the queue: who has gone holds up nobody.

        Raises:
            Busy: see there.
        """
        turn = Turn(self, notice)
        try:
            turn._take()
            yield turn
        finally:
            self._leave(turn._ticket)

    def _wait(self, ticket: Event, tell: Tell, waited: float) -> None:
        """Stand in the queue until it is the ticket's turn; the same run has waited `waited` seconds already."""
        limits, came = self.limits, self._clock()
        with self._lock:
            if len(self._queue) >= limits.waiting:
                raise Busy(
                    "{count} visitors are waiting already: please come again in a minute.", count=len(self._queue)
                )
            self._queue.append(ticket)
            self._call_next()
        pause = max(limits.silence - waited, limits.silence / 4)
        try:
            while not ticket.wait(pause):
                if self._clock() - came >= limits.patience:
                    raise Busy(
                        "It was not your turn within {seconds:.0f} seconds, so many visitors are here: "
                        "please try again in a minute.",
                        seconds=limits.patience,
                    )
                with self._lock:
                    place = self._queue.index(ticket) if ticket in self._queue else 0
                    before = place + len(self._running)
                tell(before)
                pause = limits.repeat
        except BaseException:
            self._leave(ticket)
            raise

    def _leave(self, ticket: Event) -> None:
        """Give back a turn or a place in the queue."""
        with self._lock:
            self._running.discard(ticket)
            if ticket in self._queue:
                self._queue.remove(ticket)
            self._call_next()

    def _call_next(self) -> None:
        while self._queue and len(self._running) < self.limits.running and not self._held:
            ticket = self._queue.popleft()
            self._running.add(ticket)
            ticket.set()


class Turn:
    """One visitor's turn.

    Attributes:
        queued: how many seconds were waited for it so far.
        sizes: how large is what it works on, for the log.
    """

    def __init__(self, turns: Turns, notice: Notice) -> None:
        self.queued = 0.0
        self.sizes: dict[str, int] = {}
        self._turns, self._notice = turns, notice
        self._ticket = Event()
        self._began = 0.0

    def rotate(self) -> None:
        """Between two steps of a long answer: let others go first if they wait and this turn has had its share.

        Raises:
            Busy: it did not come round again in time.
        """
        turns = self._turns
        if turns.waiting and turns.worked() - self._began >= turns.limits.share:
            turns._leave(self._ticket)
            self._take()

    def _take(self) -> None:
        self._ticket = Event()
        came = self._turns._clock()
        with self._notice() as tell:
            self._turns._wait(self._ticket, tell, self.queued)
        self.queued += self._turns._clock() - came
        self._began = self._turns.worked()
