"""Housekeeping bounds memory and threads, and the internals that it uses exist."""

import asyncio
import gc
import itertools
import os
import sys
import threading
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from pages.shared import models, service, warmup
from server import memory_budget, metrics, run_context, warm_up
from server.health import Readiness
from server.limits import THREADS
from server.result_cache import ResultCache, clear_all
from tests.coroutines import run_in_thread
from tests.processes import resident_megabytes


@pytest.fixture
def settings():
    """Restore the settings of this process."""
    threads, switch = torch.get_num_threads(), sys.getswitchinterval()
    yield
    torch.set_num_threads(threads)
    sys.setswitchinterval(switch)


def test_the_number_of_threads_is_set_for_later_runs(settings, monkeypatch):
    monkeypatch.setattr(models, "load_service", lambda: service.Service.__new__(service.Service))
    monkeypatch.setattr(service.Service, "trace", lambda self, text, options: None)
    warm_up.warm_up({"translator": warmup.load_translator})
    threads = []
    run = threading.Thread(target=lambda: threads.append(torch.get_num_threads()))
    run.start()
    run.join()
    assert threads == [THREADS]
    assert sys.getswitchinterval() == pytest.approx(warm_up.SWITCH_SECONDS)


def test_garbage_collection_is_enabled_after_loading(settings, monkeypatch):
    readiness, enabled = Readiness(), []
    monkeypatch.setattr(warm_up, "readiness", lambda: readiness)
    warm_up.warm_up({"broken": lambda: enabled.append(gc.isenabled()) or 1 / 0})
    assert (enabled, readiness.states()) == ([False], {"broken": "broken"})
    assert gc.isenabled()
    gc.unfreeze()


class Session:
    """A fake of a visitor's session in Streamlit's storage."""

    def __init__(self, name):
        self.session = type("AppSession", (), {"id": name})()


def test_expired_sessions_are_closed(monkeypatch):
    now = [0.0]
    storage = MemorySessionStorage(ttl_seconds=60)
    storage._cache._timer = lambda: now[0]
    storage.save(Session("gone"))
    now[0] = 61.0
    storage.save(Session("there"))

    class Manager:
        _session_storage = storage

        def list_sessions(self):
            return storage.list()

    monkeypatch.setattr(Runtime, "_instance", type("Runtime", (), {"_session_mgr": Manager()})())
    now[0] = 100.0
    assert warm_up.expire_sessions() == 1
    now[0] = 200.0
    assert warm_up.expire_sessions() == 0
    assert len(storage._cache._data) == 0


def test_another_streamlit_version_is_not_patched(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", object())
    assert warm_up.expire_sessions() == 0


class Ring:
    """An object in a reference cycle, freed by garbage collection only."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def unfrozen():
    """Unfreeze all objects after the test."""
    yield
    gc.unfreeze()


def test_freeing_memory_collects_garbage_among_frozen_objects(unfrozen):
    ring = Ring()
    gone = weakref.ref(ring)
    gc.freeze()
    del ring
    gc.collect()
    assert gone() is not None  # collection ignores frozen objects
    memory_budget.free_memory()
    assert gone() is None


def test_older_objects_are_frozen_and_collected_at_intervals(unfrozen, monkeypatch):
    sessions = [2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]  # at each round
    rounds, freed_at, forgotten = [], [], []
    monkeypatch.setattr(warm_up, "FREEZE_SECONDS", 0)
    monkeypatch.setattr(warm_up, "COLLECT_ROUNDS", 3)

    def expire():
        if len(rounds) == len(sessions):
            raise StopAsyncIteration
        rounds.append(sessions[len(rounds)])
        return rounds[-1]

    monkeypatch.setattr(warm_up, "expire_sessions", expire)
    monkeypatch.setattr(warm_up, "free_memory", lambda: freed_at.append(len(rounds)))
    monkeypatch.setattr(warm_up.result_cache, "clear_all", lambda: forgotten.append(len(rounds)))
    monkeypatch.setattr(warm_up.metrics, "runs", lambda: 1 if len(rounds) < 9 else 2)
    gc.unfreeze()
    with pytest.raises(StopAsyncIteration):
        run_in_thread(asyncio.wait_for(warm_up.run_housekeeping(), 20))
    assert gc.get_freeze_count() > 0
    # a visitor left, two rounds each; a third round only with runs since then
    assert freed_at == [3, 4, 9, 10, 11]
    assert forgotten == [10]  # the last visitor left


@pytest.mark.parametrize(("waiting", "rounds"), [(0, [3, 6, 9, 12]), (1, [5, 10])])
def test_full_collections_are_rarer_while_visitors_wait(unfrozen, monkeypatch, waiting, rounds):
    runs, freed_at = itertools.count(1), []
    monkeypatch.setattr(warm_up, "FREEZE_SECONDS", 0)
    monkeypatch.setattr(warm_up, "COLLECT_ROUNDS", 3)
    monkeypatch.setattr(warm_up, "BUSY_COLLECT_ROUNDS", 5)
    monkeypatch.setattr(warm_up, "run_queue", lambda: SimpleNamespace(waiting=waiting))
    done = []

    def expire():
        if len(done) == 12:
            raise StopAsyncIteration
        done.append(1)
        return 1

    monkeypatch.setattr(warm_up, "expire_sessions", expire)
    monkeypatch.setattr(warm_up, "free_memory", lambda: freed_at.append(len(done)))
    monkeypatch.setattr(warm_up.metrics, "runs", lambda: next(runs))
    with pytest.raises(StopAsyncIteration):
        run_in_thread(asyncio.wait_for(warm_up.run_housekeeping(), 20))
    assert freed_at == rounds


def test_memory_is_returned_when_it_has_grown(unfrozen, monkeypatch):
    resident = [100, 100, 110, 117, 101, 118, 102, 119, 103, 142, 104, 145, 99, 110, 116, 97]  # megabytes at each look
    looks, calls = iter(resident), []
    monkeypatch.setattr(memory_budget, "TRIM_BYTES", 16_000_000)
    monkeypatch.setattr(memory_budget, "resident_bytes", lambda: 10**6 * next(looks))
    monkeypatch.setattr(memory_budget, "_call_glibc", lambda function, *numbers: calls.append(function))
    monkeypatch.setattr(memory_budget.gc, "collect", lambda: calls.append("collect"))
    growth, by_step = memory_budget.MemoryGrowth(), []
    for _ in range(9):
        calls.clear()
        growth.limit()
        by_step.append(tuple(calls))
    trim = ("malloc_trim",)
    # the first look of all; 110 is little; more than `TRIM_BYTES` above what was left the last time; at 142 and 145
    # more than `COLLECT_BYTES` above what was left by the last collection, or by the first look
    assert by_step == [trim, (), trim, trim, trim, ("collect", *trim), ("collect", *trim), (), trim]


def test_growth_by_retained_results_is_not_searched_for_garbage(unfrozen, monkeypatch):
    looks, calls = iter([100, 139, 180, 220, 220, 261, 262, 220]), []  # megabytes at each look
    monkeypatch.setattr(memory_budget, "resident_bytes", lambda: 10**6 * next(looks))
    monkeypatch.setattr(memory_budget, "_call_glibc", lambda function, *numbers: None)
    monkeypatch.setattr(memory_budget.gc, "collect", lambda: calls.append("collect"))
    growth, by_step = memory_budget.MemoryGrowth(), []
    for retained in (0, 30, 80, 90):
        calls.clear()
        growth.limit(10**6 * retained)
        by_step.append(len(calls))
    assert by_step == [0, 0, 0, 0]


def test_a_run_returns_memory_at_its_steps_and_its_end(monkeypatch):
    resident, calls = [100 * 10**6], []
    monkeypatch.setattr(memory_budget, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(memory_budget, "_call_glibc", lambda function, *numbers: calls.append(function))
    growth = memory_budget.MemoryGrowth()
    growth.trim()
    monkeypatch.setattr(run_context, "memory_growth", lambda: growth)
    with run_context.queued_run("home", "", lambda: nullcontext(print)):
        assert calls == ["malloc_trim"]
        resident[0] += memory_budget.TRIM_BYTES + 1
        run_context.yield_slot()
        assert calls == ["malloc_trim"] * 2
        resident[0] += memory_budget.TRIM_BYTES
    assert calls == ["malloc_trim"] * 2
    with run_context.queued_run("home", "", lambda: nullcontext(print)):
        resident[0] += 1
    assert calls == ["malloc_trim"] * 3


def test_the_resident_memory_is_that_of_this_process():
    assert memory_budget.resident_bytes() == pytest.approx(1e6 * resident_megabytes(os.getpid()), rel=0.1)


def test_pinned_results_are_not_evicted():
    recent = ResultCache(1)
    recent.put("first", 1)
    recent.pin("first")
    recent.put("later", 2)
    assert (recent.get("first"), recent.get("later")) == (1, 2)
    clear_all()
    assert (recent.get("first"), recent.get("later")) == (1, None)


def test_clearing_drops_results_that_are_not_referenced():
    cache, referenced = ResultCache(4), Session("held")
    cache.put("held", referenced)
    cache.put("gone", Session("gone"))
    clear_all()
    assert cache.get("gone") is None and cache.get("held") is referenced
    assert not cache._entries


def test_runs_of_all_labels_are_counted():
    before = metrics.runs()
    metrics.RUNS.labels("heads", "", "ok").inc()
    metrics.RUNS.labels("heads", "part", "error").inc(2)
    assert metrics.runs() == before + 3
