"""Health and metrics for the operator. Neither contains anything that visitors entered.

`/healthz` answers 200 once all models are loaded and each has computed something, else 503; also 503 while runs
without progress keep slots (`server.run_queue`) or locks (`server.work_lock`) that could not be given to
others. `/metrics` is for Prometheus; a reverse proxy must not publish it.
"""

import functools
import threading
from collections.abc import Iterable
from typing import Literal

from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server import metrics
from server.run_context import run_queue
from server.singleton import singleton
from server.work_lock import any_blocked

State = Literal["loading", "ready", "broken"]


class Readiness:
    """The state of each model. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}

    def expect(self, models: Iterable[str]) -> None:
        """Register models that are going to be loaded; those that have a state keep it."""
        loading: dict[str, State] = dict.fromkeys(models, "loading")
        with self._lock:
            self._states = loading | self._states

    def set(self, model: str, state: State) -> None:
        """Set the state of an expected model."""
        with self._lock:
            self._states[model] = state

    def states(self) -> dict[str, State]:
        """The state of every model."""
        with self._lock:
            return dict(self._states)

    @property
    def ready(self) -> bool:
        """True once all models have computed something; False if none is expected yet."""
        return set(self.states().values()) == {"ready"}


@singleton
def readiness() -> Readiness:
    """The readiness of this server."""
    return Readiness()


def routes(version: str) -> list[Route]:
    """The routes of both, for the app of this version."""
    metrics.RUNNING.set_function(lambda: run_queue().running)
    metrics.WAITING.set_function(lambda: run_queue().waiting)
    metrics.READY.set_function(lambda: readiness().ready)
    return [Route("/healthz", functools.partial(_health, version)), Route("/metrics", _metrics)]


async def _health(version: str, request: Request) -> Response:
    ready, states = readiness().ready, readiness().states()
    status = "ready" if ready else "broken" if "broken" in states.values() else "loading"
    if ready and (run_queue().blocked or any_blocked()):
        ready, status = False, "stalled"
    answer = {"status": status, "version": version, **states}
    return JSONResponse(answer, 200 if ready else 503, headers={"Cache-Control": "no-store"})


async def _metrics(request: Request) -> Response:
    kind = "text/plain; version=0.0.4; charset=utf-8"
    return Response(generate_latest(metrics.REGISTRY), media_type=kind, headers={"Cache-Control": "no-store"})
