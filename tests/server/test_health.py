"""`/healthz` fails while runs without progress hold slots or locks, only where those could not be given to others."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server import health, run_context
from server.limits import RunLimits
from server.run_queue import RunQueue
from server.work_lock import WorkLock


@pytest.fixture
def client(monkeypatch):
    """A function: queue -> a client of a server that is ready and has this queue."""
    ready = health.Readiness()
    ready.expect(["translator"])
    ready.set("translator", "ready")

    def serve(queue: RunQueue) -> TestClient:
        monkeypatch.setattr(health, "readiness", lambda: ready)
        for module in (health, run_context):
            monkeypatch.setattr(module, "run_queue", lambda: queue)
        return TestClient(Starlette(routes=health.routes("1")))

    return serve


@contextmanager
def silent():
    yield lambda ahead: None


def status(client: TestClient) -> tuple[int, str]:
    response = client.get("/healthz")
    return response.status_code, response.json()["status"]


def test_a_stalled_run_whose_slot_was_released_does_not_harm_the_health(client):
    now = [0.0]
    queue = RunQueue(RunLimits(running=2, stalled=2), clock=lambda: now[0])
    asking = client(queue)
    with queue.slot(silent), queue.slot(silent):
        assert status(asking) == (200, "ready")
        now[0] = 60.0
        assert status(asking) == (200, "ready")
        assert (queue.running, queue.stalled) == (0, 2)
        with queue.slot(silent):  # others run
            assert queue.running == 1


def test_slots_that_cannot_be_released_fail_the_health(client):
    now = [0.0]
    queue = RunQueue(RunLimits(running=2, stalled=1), clock=lambda: now[0])
    asking = client(queue)
    with queue.slot(silent):
        with queue.slot(silent):
            now[0] = 60.0
            assert status(asking) == (503, "stalled")
        assert status(asking) == (200, "ready")
    assert status(asking) == (200, "ready")


def test_a_lock_that_cannot_be_released_fails_the_health(client):
    now = [0.0]
    asking = client(RunQueue())
    lock = WorkLock(RunLimits(stalled=1), clock=lambda: now[0])
    holders = [Holder(lock)]
    now[0] = 60.0
    assert status(asking) == (200, "ready")  # the next thread gets it
    holders.append(Holder(lock))
    assert status(asking) == (200, "ready")
    now[0] = 120.0
    assert status(asking) == (503, "stalled")
    for holder in holders:
        holder.leave.set()
        holder.join(20)
    assert status(asking) == (200, "ready")


class Holder(threading.Thread):
    """Hold a lock until `leave` is set."""

    def __init__(self, lock: WorkLock) -> None:
        super().__init__(daemon=True)
        self._lock, self._holding, self.leave = lock, threading.Event(), threading.Event()
        self.start()
        assert self._holding.wait(20)

    def run(self) -> None:
        with self._lock:
            self._holding.set()
            assert self.leave.wait(60)
