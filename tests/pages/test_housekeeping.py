"""Memory and threads stay bounded: what housekeeping leans on is there, and it does what it says."""

import gc
import sys
import threading

import pytest
import torch
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from pages.shared import housekeeping


@pytest.fixture
def settings():
    """Restores what this process had."""
    threads, switch = torch.get_num_threads(), sys.getswitchinterval()
    yield
    torch.set_num_threads(threads)
    sys.setswitchinterval(switch)


def test_threads_are_set_for_every_run_to_come(settings):
    housekeeping.settle_threads()
    seen = []
    run = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    run.start()
    run.join()
    assert seen == [housekeeping.THREADS]
    assert sys.getswitchinterval() == pytest.approx(housekeeping.SWITCH_SECONDS)


def test_garbage_is_looked_for_again_after_loading():
    with pytest.raises(ValueError), housekeeping.no_garbage():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()
    gc.unfreeze()


class Session:
    """Stands for a visitor's session, in what Streamlit keeps them in."""

    def __init__(self, name):
        self.session = type("AppSession", (), {"id": name})()


def test_sessions_whose_time_is_over_are_let_go(monkeypatch):
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
    assert housekeeping.forget_visitors() == 1
    now[0] = 200.0
    assert housekeeping.forget_visitors() == 0
    assert len(storage._cache._data) == 0


def test_another_streamlit_is_left_alone(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", object())
    assert housekeeping.forget_visitors() == 0


def test_memory_can_be_handed_back():
    housekeeping.hand_back()
