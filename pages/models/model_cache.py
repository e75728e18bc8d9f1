"""The opened models of this process: two at most, shared by all visitors, and none is taken away from its reader."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from model import OpenError
from model.hub.opened_model import OpenedModel
from pages.shared.service import Service
from server import streamlit_internals
from server.result_cache import ResultCache, compute_lock
from server.singleton import singleton

MOST_MODELS = 2
RECENT_TRACES = 3  # traces of each that are kept; one may hold as much as `model.hub.trace_limits` says
IN_USE_SECONDS = 600.0  # seconds after which a model that nobody has asked counts as left


@dataclass
class _CachedModel:
    service: Service
    asked: float  # when anybody asked last
    users: dict[str, float] = field(default_factory=dict)  # visitor -> when they asked last


class OpenedModels:
    """Opened models by name. Safe to use from several threads.

    Args:
        clock: gives seconds.
        alive: whether a visitor is still there.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, alive: Callable[[str], bool] = lambda visitor: True
    ) -> None:
        self._clock, self._alive = clock, alive
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._held: dict[str, _CachedModel] = {}

    def get(self, name: str, visitor: str) -> Service | None:
        """The model if it is open; the visitor counts as its reader, and no longer as that of another."""
        with self._lock:
            for other, held in self._held.items():
                if other != name:
                    held.users.pop(visitor, None)
            if name not in self._held:
                return None
            held = self._held[name]
            held.asked = held.users[visitor] = self._clock()
            return held.service

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
            service = Service(make(), compute_lock(), traces=ResultCache(RECENT_TRACES))
            with self._lock:
                self._held[name] = _CachedModel(service, self._clock(), {visitor: self._clock()})
            return service

    def names(self) -> list[str]:
        """What is open."""
        with self._lock:
            return list(self._held)

    def _make_room(self) -> None:
        """Let the model go that was asked least recently, if nobody reads it."""
        with self._lock:
            if len(self._held) < MOST_MODELS:
                return
            now = self._clock()
            for held in self._held.values():
                for visitor, asked in list(held.users.items()):
                    if now - asked > IN_USE_SECONDS or not self._alive(visitor):
                        del held.users[visitor]
            left = [name for name, held in self._held.items() if not held.users]
            if not left:
                raise OpenError(
                    "{count} models are open and in use, and this server keeps no more; look at one of {names}, or try "
                    "again in some minutes.",
                    count=MOST_MODELS,
                    names=", ".join(self._held),
                )
            del self._held[min(left, key=lambda name: self._held[name].asked)]


@singleton
def opened_models() -> OpenedModels:
    """Of this process."""
    return OpenedModels(alive=_is_connected)


def _is_connected(visitor: str) -> bool:
    return streamlit_internals.is_connected(visitor)
