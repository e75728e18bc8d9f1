"""Cache of opened models: two at most, shared by all visitors; a model in use is not evicted."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from model import OpenError
from model.hub.opened_model import OpenedModel
from pages.shared.service import Service
from server import streamlit_internals
from server.limits import RunLimits
from server.result_cache import ResultCache, compute_lock
from server.singleton import singleton
from server.work_lock import WorkLock

MOST_MODELS = 2
RECENT_TRACES = 3  # cached traces of each model; `model.hub.trace_limits` bounds the size of one
OPENING = RunLimits(stalled_after=600.0, stalled=1)  # a large file on a slow disk takes minutes
OPENING_PATIENCE = 45.0  # seconds that others wait; a run that makes no progress for longer loses its slot
IN_USE_SECONDS = 600.0  # seconds after its last request that a visitor counts as a user of a model


@dataclass
class _CachedModel:
    service: Service[OpenedModel]
    last_request: float  # time of the last request
    users: dict[str, float] = field(default_factory=dict)  # visitor -> time of their last request


class OpenedModels:
    """Opened models by name. Safe to use from several threads.

    Args:
        clock: gives seconds.
        alive: whether a visitor is still connected.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, alive: Callable[[str], bool] = lambda visitor: True
    ) -> None:
        self._clock, self._alive = clock, alive
        self._lock = threading.Lock()
        self._opening = WorkLock(OPENING, clock)
        self._models: dict[str, _CachedModel] = {}

    def get(self, name: str, visitor: str) -> Service[OpenedModel] | None:
        """Return the model if it is open; the visitor becomes a user of it, and of no other model."""
        with self._lock:
            for other, model in self._models.items():
                if other != name:
                    model.users.pop(visitor, None)
            if name not in self._models:
                return None
            model = self._models[name]
            model.last_request = model.users[visitor] = self._clock()
            return model.service

    def used_by(self, visitor: str) -> Service[OpenedModel] | None:
        """Return the model that the visitor opened last, if it is still open; that counts as a request."""
        with self._lock:
            for model in self._models.values():
                if visitor in model.users:
                    model.last_request = model.users[visitor] = self._clock()
                    return model.service
        return None

    def open(self, name: str, visitor: str, make: Callable[[], OpenedModel]) -> Service[OpenedModel]:
        """Return the model, opened by `make` if it is not open; one at a time.

        Raises:
            OpenError: it cannot be opened, `MOST_MODELS` others are in use, or another one is being opened and does not
                end in time.
        """
        if not self._opening.acquire(OPENING_PATIENCE):
            raise OpenError("Another model is being opened, which takes long; please try again in a minute.")
        try:
            service = self.get(name, visitor)
            if service is not None:
                return service
            self._evict()
            service = Service(make(), compute_lock(), traces=ResultCache(RECENT_TRACES))
            with self._lock:
                self._models[name] = _CachedModel(service, self._clock(), {visitor: self._clock()})
            return service
        finally:
            self._opening.release()

    def names(self) -> list[str]:
        """Return the names of the open models."""
        with self._lock:
            return list(self._models)

    def _evict(self) -> None:
        """Evict the least recently requested model without users."""
        with self._lock:
            if len(self._models) < MOST_MODELS:
                return
            now = self._clock()
            for model in self._models.values():
                for visitor, last_request in list(model.users.items()):
                    if now - last_request > IN_USE_SECONDS or not self._alive(visitor):
                        del model.users[visitor]
            unused = [name for name, model in self._models.items() if not model.users]
            if not unused:
                raise OpenError(
                    "{count} {count:model is|models are} open and in use, and this server keeps no more; look at "
                    "one of "
                    "{names}, or try again in some minutes.",
                    count=MOST_MODELS,
                    names=", ".join(self._models),
                )
            del self._models[min(unused, key=lambda name: self._models[name].last_request)]


@singleton
def opened_models() -> OpenedModels:
    """Return the cache of this process."""
    return OpenedModels(alive=_is_connected)


def _is_connected(visitor: str) -> bool:
    return streamlit_internals.is_connected(visitor)
