"""One budget in bytes for all results: shared buffers count once, the least recently used is evicted first."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image

from server import memory_budget
from server.memory_budget import BudgetEntry, MemoryBudget, ScreenMemory, measure
from server.result_cache import ResultCache

MEGABYTE = 2**20


def array(megabytes: float = 1.0) -> np.ndarray:
    return np.zeros(int(megabytes * MEGABYTE), dtype=np.uint8)


@dataclass(frozen=True)
class Record:
    weights: np.ndarray
    more: object = None


class Network:
    """Not a result: it belongs to the process."""

    def __init__(self):
        self.weights = array(100)


def large_bytes(content) -> int:
    return sum(buffer.size for buffer in measure(content)[1].values())


def closure(value):
    return lambda: value


@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: value,
        lambda value: [value, (value,)],
        lambda value: {"a": {"b": value}},
        lambda value: Record(value, [value]),
        closure,
        lambda value: partial(print, value, key=value),
        lambda value: closure(Record(value)),
        lambda value: value[5:10],  # a view retains its whole array
        lambda value: torch.from_numpy(value)[3:],
        lambda value: (Network(), value),
    ],
)
def test_the_size_of_a_buffer_is_counted_once_wherever_it_is(wrap):
    content = wrap(array(3))
    own, buffers = measure(content)
    assert [buffer.size for buffer in buffers.values()] == [3 * MEGABYTE]
    assert own < 4000


def test_other_kinds_of_buffers():
    assert large_bytes(Image.new("RGB", (512, 512))) == MEGABYTE  # four bytes a pixel
    assert large_bytes(Image.new("L", (1024, 1024))) == MEGABYTE
    assert large_bytes(b"x" * MEGABYTE) == pytest.approx(MEGABYTE, abs=100)
    tensor = torch.zeros(4, MEGABYTE // 4)
    assert large_bytes([tensor[0], tensor[1].numpy(), tensor]) == 4 * MEGABYTE
    assert measure([1, None, "a", (), {}, np.int64(3), Network])[0] < 2000


def test_a_cycle_ends():
    cycle: list = [array()]
    cycle.append(cycle)
    assert large_bytes(cycle) == MEGABYTE


def test_the_least_recently_used_result_of_any_cache_is_evicted():
    budget = MemoryBudget(3 * MEGABYTE + 50_000)
    one, other = ResultCache(10, budget), ResultCache(10, budget)
    one.put("a", [array()])
    other.put("b", [array()])
    one.put("c", [array()])
    assert one.get("a")  # used now
    other.put("d", [array()])
    assert one.get("a") and one.get("c") and other.get("d") and other.get("b") is None
    assert budget.bytes <= budget.limit


def test_results_of_one_size_evict_one_another_first():
    budget = MemoryBudget(4 * MEGABYTE)
    translations, traces = ResultCache(100, budget), ResultCache(100, budget)
    for number in range(4):
        translations.put(number, [array(0.1)])
    for number in range(10):
        traces.put(number, [array()])
    assert [number for number in range(4) if translations.get(number)] == [0, 1, 2, 3]
    assert [number for number in range(10) if traces.get(number)] == [7, 8, 9]
    for number in range(4, 20):
        translations.put(number, [array(0.1)])
    assert [number for number in range(20) if translations.get(number)] == list(
        range(11, 20)
    )  # what three traces leave
    assert [number for number in range(10) if traces.get(number)] == [7, 8, 9]
    assert budget.bytes <= budget.limit


def test_an_evicted_result_is_computed_again():
    budget, computed = MemoryBudget(MEGABYTE + 50_000), []
    cache, lock = ResultCache(10, budget), threading.Lock()
    for key in ("a", "b", "a"):
        cache.get_or_compute(key, lambda key=key: computed.append(key) or [array()], lock)
    assert computed == ["a", "b", "a"]


def test_a_result_larger_than_the_budget_is_the_only_one():
    budget = MemoryBudget(MEGABYTE)
    cache = ResultCache(10, budget)
    cache.put("small", [array(0.5)])
    cache.put("large", [array(5)])
    assert cache.get("large") and cache.get("small") is None
    cache.put("small", [array(0.5)])
    assert cache.get("small") and cache.get("large") is None


def test_results_and_pages_that_share_an_array_count_once():
    budget = MemoryBudget(100 * MEGABYTE)
    cache, screens = ResultCache(10, budget), [ScreenMemory(budget=budget) for _ in range(5)]
    trace = Record(array(7))
    cache.put("trace", trace)
    retained = [screen.retain(closure(trace.weights[:10])) for screen in screens]
    for screen in screens:
        screen.charge()
    assert budget.bytes == pytest.approx(7 * MEGABYTE, abs=20_000)
    cache.clear()
    assert budget.bytes == pytest.approx(7 * MEGABYTE, abs=20_000)  # the pages still refer to it
    del retained, screens, screen
    gc.collect()
    assert budget.bytes == 0


def test_the_pages_that_refer_to_an_old_result_are_released_with_it():
    budget = MemoryBudget(2 * MEGABYTE + 50_000)
    cache, screen = ResultCache(10, budget), ScreenMemory(budget=budget)
    trace = Record(array())
    cache.put("old", trace)
    retained = screen.retain((trace,))
    screen.charge()
    del trace
    assert retained.value is not None
    cache.put("new", Record(array(0.9)))
    assert retained.value is not None
    cache.put("newer", Record(array(0.9)))
    assert retained.value is None and cache.get("old") is None
    assert cache.get("new") and cache.get("newer")


def test_what_cannot_be_computed_again_leaves_less_for_results():
    budget = MemoryBudget(4 * MEGABYTE + 50_000)
    cache, screen = ResultCache(10, budget), ScreenMemory(budget=budget)
    for key in "abc":
        cache.put(key, [array()])
    screen.charge(array(2))
    assert [bool(cache.get(key)) for key in "abc"] == [False, True, True]
    screen.charge()  # the picture is no longer there
    cache.put("d", [array()])
    assert [bool(cache.get(key)) for key in "bcd"] == [True, True, True]


def test_pages_are_released_where_pictures_alone_exceed_the_budget():
    budget = MemoryBudget(MEGABYTE)
    screens = [ScreenMemory(budget=budget) for _ in range(30)]
    retained = [screen.retain(array(0.1)) for screen in screens]
    for screen in screens:
        screen.charge(array(2))
    assert [each.value is None for each in retained] == [True] * 29 + [False]  # the last one is at work


def test_a_new_page_releases_the_one_before():
    screen = ScreenMemory(budget=MemoryBudget(MEGABYTE))
    before, make = screen.retain("value"), screen.retain_maker("a.csv", lambda: b"old")
    assert make() == b"old"
    screen.begin_page()
    assert before.value is None
    screen.retain_maker("b.csv", lambda: b"other")
    again = screen.retain_maker("a.csv", lambda: b"new")
    assert make() == again() == b"new"  # a click on the page before, whose file the new one has too


def test_a_file_is_made_by_the_run_that_was_asked_for_before_it(monkeypatch):
    screen, waits, later = ScreenMemory("visit", MemoryBudget(MEGABYTE)), [], []

    def end_runs(session, seconds):
        waits.append((session, seconds))
        later.append(screen.retain_maker("a.csv", lambda: b"new"))

    monkeypatch.setattr(memory_budget.streamlit_internals, "wait_for_runs", end_runs)
    assert screen.retain_maker("a.csv", lambda: b"old")() == b"new"
    assert waits == [("visit", memory_budget.REFILL_SECONDS)]


def test_a_file_s_maker_is_waited_for_while_the_page_runs_again(monkeypatch):
    screen, runs = ScreenMemory("visit", MemoryBudget(MEGABYTE)), []

    def rerun(session):
        runs.append(session)
        threading.Timer(0.05, lambda: refilled.append(screen.retain_maker("a.csv", lambda: b"new"))).start()

    refilled: list = []
    monkeypatch.setattr(memory_budget.streamlit_internals, "rerun", rerun)
    make = screen.retain_maker("a.csv", lambda: b"old")
    screen.release()
    assert make() == b"new" and runs == ["visit"]


def test_a_file_of_a_page_that_does_not_run_again_is_an_error(monkeypatch):
    monkeypatch.setattr(memory_budget, "REFILL_SECONDS", 0.05)
    screen = ScreenMemory(budget=MemoryBudget(MEGABYTE))
    make = screen.retain_maker("a.csv", lambda: b"old")
    screen.release()
    with pytest.raises(TimeoutError, match="did not run again"):
        make()


def test_pages_of_closed_sockets_are_released(monkeypatch):
    budget = MemoryBudget(MEGABYTE)
    gone, there, none = (ScreenMemory(name, budget) for name in ("gone", "there", ""))
    retained = [screen.retain("value") for screen in (gone, there, none)]
    monkeypatch.setattr(memory_budget.streamlit_internals, "is_connected", lambda session: session == "there")
    memory_budget.release_disconnected()
    assert [each.value for each in retained] == [None, "value", "value"]


def test_an_entry_knows_its_bytes_with_what_it_shares():
    budget, shared = MemoryBudget(100 * MEGABYTE), array(2)
    entries = [BudgetEntry(lambda entry: None) for _ in range(2)]
    budget.charge(entries[0], [shared, array(1)])
    budget.charge(entries[1], shared)
    assert [round(entry.size / MEGABYTE, 2) for entry in entries] == [3, 2]
    budget.discount(entries[0])
    assert entries[0].size == 0 and entries[1].size == pytest.approx(2 * MEGABYTE, abs=500)
    assert budget.bytes == pytest.approx(2 * MEGABYTE, abs=500)


def test_what_ended_with_a_visit_is_not_counted():
    budget = MemoryBudget(10 * MEGABYTE)
    own = ResultCache(4, budget)
    own.put("picture", [array(3)])
    assert budget.bytes > 3 * MEGABYTE
    del own
    gc.collect()
    assert budget.bytes == 0


def test_pinned_results_survive_a_full_budget():
    budget = MemoryBudget(MEGABYTE)
    cache = ResultCache(10, budget)
    cache.put("first", [array(0.9)])
    cache.pin("first")
    for number in range(5):
        cache.put(number, [array(0.9)])
    assert cache.get("first") is not None and cache.get(0) is None


def test_the_budget_holds_under_many_threads():
    budget = MemoryBudget(5 * MEGABYTE)
    caches = [ResultCache(20, budget) for _ in range(4)]
    errors = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(200):
                cache, key = caches[rng.integers(4)], int(rng.integers(40))
                cache.get(key)
                cache.put(key, [array(float(rng.uniform(0, 0.3)))])
                if rng.random() < 0.02:
                    cache.clear()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert budget.bytes <= budget.limit
    held = large_bytes([[result.value for result in cache._entries.values()] for cache in caches])
    assert budget.bytes == pytest.approx(held, rel=0.02)
    for cache in caches:
        cache.clear()
    assert budget.bytes == 0


def test_a_buffer_at_the_place_of_a_released_one_counts():
    budget = MemoryBudget(100 * MEGABYTE)
    old, new = BudgetEntry(lambda entry: None), BudgetEntry(lambda entry: None)
    for _ in range(20):  # until the second array gets the id of the first one
        first = array(1)
        place = id(first)
        budget.charge(old, first)
        del first  # released, and still counted
        second = array(2)
        if id(second) == place:
            break
    else:
        pytest.skip("no id was used again")
    budget.charge(new, second)
    budget.remove([old])
    assert budget.bytes == pytest.approx(2 * MEGABYTE, abs=1000)
    budget.remove([new])
    assert budget.bytes == 0


def test_a_removed_entry_is_never_counted_again():
    budget = MemoryBudget(MEGABYTE)
    entry = BudgetEntry(lambda entry: None)
    budget.remove([entry])  # its result was replaced before it was counted
    budget.charge(entry, array())
    assert budget.bytes == 0


def test_fewer_results_are_retained_while_the_process_is_large():
    room, evicted = [10_000], []
    budget = MemoryBudget(20_000, room=lambda retained: room[0])
    entries = [BudgetEntry(evicted.append) for _ in range(9)]
    for entry in entries[:3]:
        budget.charge(entry, bytes(4000))
    assert evicted == entries[:1]
    room[0] = 0
    budget.charge(entries[3], bytes(4000))
    assert evicted == entries[:3] and 4000 < budget.bytes < 5000  # the newest stays
    room[0] = 10**9  # no more than the limit
    for entry in entries[4:]:
        budget.charge(entry, bytes(4000))
    assert evicted == entries[:5] and 16_000 < budget.bytes <= 20_000


@pytest.mark.parametrize(
    ("resident", "retained", "expected"),
    [
        (700, 100, 300),  # 600 for everything else
        (950, 200, 150),
        (1100, 200, 100),  # the least
        (0, 150, 1050),  # the system does not tell
    ],
)
def test_the_room_is_what_the_rest_of_the_process_leaves(monkeypatch, resident: int, retained: int, expected: int):
    monkeypatch.setattr(memory_budget, "resident_bytes", lambda: resident * 10**6)
    assert memory_budget._room(retained * 10**6) == expected * 10**6


def test_memory_of_evicted_results_is_returned(monkeypatch):
    calls, resident = [], [500_000_000]
    monkeypatch.setattr(memory_budget, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(memory_budget, "_call_glibc", lambda function, *numbers: calls.append(function))
    growth = memory_budget.MemoryGrowth()
    growth.trim()
    growth.trim()
    assert calls == ["malloc_trim"]
    growth.expect_free(memory_budget.TRIM_BYTES + 1)
    growth.trim()
    assert calls == ["malloc_trim"] * 2
