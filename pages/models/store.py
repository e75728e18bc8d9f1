"""The opened models of this process: two at most, shared by all visitors, and none is taken away from its reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from model import OpenError
from model.hub.opened import OpenedModel
from pages.shared.service import Service
from server.process_wide import process_wide
from server.recent import computing

MOST = 2
IN_USE = 600.0  # seconds after which a model that nobody has asked counts as left


@dataclass
class _Held:
    service: Service
    users: dict[str, float] = field(default_factory=dict)  # visitor -> when they asked last


class OpenedModels:
    """Opened models by name. Safe to use from several threads.

    Args:
        clock: gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._held: dict[str, _Held] = {}

    def get(self, name: str, visitor: str) -> Service | None:
        """The model if it is open; the visitor counts as its reader, and no longer as that of another."""
        with self._lock:
            for other, held in self._held.items():
                if other != name:
                    held.users.pop(visitor, None)
            if name not in self._held:
                return None
            self._held[name].users[visitor] = self._clock()
            return self._held[name].service

    def open(self, name: str, visitor: str, make: Callable[[], OpenedModel]) -> Service:
        """The model, opened by `make` if it is not; one after another.

        Raises:
            OpenError: it cannot be opened, or as many as there may be are in use by others.
        """
        with self._opening:
            found = self.get(name, visitor)
            if found is not None:
                return found
            self._make_room()
            service = Service(make(), computing())
            with self._lock:
                self._held[name] = _Held(service, {visitor: self._clock()})
            return service

    def names(self) -> list[str]:
        """What is open."""
        with self._lock:
            return list(self._held)

    def _make_room(self) -> None:
        """Let the model go that was asked least recently, if nobody reads it."""
        with self._lock:
            if len(self._held) < MOST:
                return
            now = self._clock()
            last = {name: max(held.users.values(), default=-IN_USE - 1) for name, held in self._held.items()}
            left = [name for name, asked in last.items() if not self._held[name].users or now - asked > IN_USE]
            if not left:
                raise OpenError(
                    "{count} models are open and in use, and this server keeps no more; look at one of {names}, or try "
                    "again in some minutes.",
                    count=MOST,
                    names=", ".join(self._held),
                )
            del self._held[min(left, key=last.__getitem__)]


@process_wide
def opened_models() -> OpenedModels:
    """Of this process."""
    return OpenedModels()
