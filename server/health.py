"""What an operator asks a running server: is it of use, and how does it do? Nothing here says what visitors asked.

`/healthz` answers 200 once all models are loaded and each has computed something, else 503. `/metrics` is for
Prometheus. Both are for the machines that look after the server: a reverse proxy must not publish `/metrics`.
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
from server.run_context import turns
from server.singleton import process_wide

State = Literal["loading", "ready", "broken"]


class Readiness:
    """How far each model is. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}

    def expect(self, models: Iterable[str]) -> None:
        """These are going to be loaded, unless they are already."""
        with self._lock:
            self._states = dict.fromkeys(models, "loading") | self._states

    def set(self, model: str, state: State) -> None:
        """`model` is one of those that were expected."""
        with self._lock:
            self._states[model] = state

    def states(self) -> dict[str, State]:
        """The state of every model."""
        with self._lock:
            return dict(self._states)

    @property
    def ready(self) -> bool:
        """True once all of them have computed something."""
        return set(self.states().values()) == {"ready"}  # before anything is expected, nothing is ready


@process_wide
def readiness() -> Readiness:
    """Of this server."""
    return Readiness()


def routes(version: str) -> list[Route]:
    """The two addresses, for the app of this version to serve beside its pages."""
    metrics.RUNNING.set_function(lambda: turns().running)
    metrics.WAITING.set_function(lambda: turns().waiting)
    metrics.READY.set_function(lambda: readiness().ready)
    return [Route("/healthz", functools.partial(_health, version)), Route("/metrics", _metrics)]


async def _health(version: str, request: Request) -> Response:
    found = readiness()
    states = found.states()
    status = "ready" if found.ready else "broken" if "broken" in states.values() else "loading"
    answer = {"status": status, "version": version, **states}
    return JSONResponse(answer, 200 if found.ready else 503, headers={"Cache-Control": "no-store"})


async def _metrics(request: Request) -> Response:
    kind = "text/plain; version=0.0.4; charset=utf-8"
    return Response(generate_latest(metrics.REGISTRY), media_type=kind, headers={"Cache-Control": "no-store"})
