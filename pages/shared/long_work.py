"""Long computations of pages: made once for everybody who asks, in parts between which others have their turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from model.runtime.fallback import HasNetwork
from model.runtime.progress import Part, Parts, parts_with_fallback
from pages.shared.recent import Recent, T
from pages.shared.streams import Streams
from views.text import waiting


@dataclass(frozen=True, eq=False)
class Result:
    """The last step of a computation in parts: what it found."""

    value: object


class LongWork:
    """Computations in parts with one model; safe to use from several threads.

    Args:
        owner: what has the network; where the GPU's memory does not suffice, the work is begun anew on the CPU.
        finished: where the results go.
        turn: is held during a part.
    """

    def __init__(self, owner: HasNetwork, finished: Recent, turn: threading.Lock) -> None:
        self._owner = owner
        self._streams: Streams[Part | Result] = Streams(finished, turn)

    def result(self, key: Hashable, begin: Callable[[], Parts[T]]) -> T:
        """What the work under `key` finds; the reader sees how far it is. `begin` starts it if nobody did yet."""
        with waiting.progress() as tell:
            for step in self._streams.follow(key, lambda: _to_the_end(parts_with_fallback(self._owner, begin))):
                if isinstance(step, Part):
                    tell(step.done, step.total)
        return step.value


def _to_the_end(parts: Parts[T]) -> Iterator[Part | Result]:
    yield Result((yield from parts))
