"""Many visitors at once on one server: answers, errors, memory, and whether the memory is freed afterwards.

The visitors run in one process on the server's machine; their share of the processors is reported.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.load_costs import costs
from benchmarks.load_servers import Servers, servers
from benchmarks.load_visitor import ACTIONS, ARRIVAL, PAGES, THINKING, SimulatedVisitor, VisitLog, photo
from benchmarks.timing import Measurement, summarise

WAVES = {1: 30.0, 10: 30.0, 50: 75.0, 200: 90.0}  # visitors -> seconds of their visit
SEED = 1
PHOTOS = 8
SAMPLE_SECONDS = 2.0  # seconds between two samples of the server's memory
RECOVERED = 1.10  # memory is recovered when it is at most this times the value before
PATIENCE = 180.0  # seconds within which it should be recovered


@dataclass
class Wave:
    """The result for one number of visitors on a new server, or on several behind a proxy.

    Attributes:
        logs: one per visitor.
        before, highest, after: memory of the server in megabytes: with everything loaded and no visitor, at most while
            they were connected, and at the end of the recovery.
        highest_of_each: the highest of each server; their sum is not `highest`, which is that of one moment.
        recovery: seconds from the last disconnection until the memory was recovered; None if not within `PATIENCE`.
        server_cores, visitors_cores: processor time a second, of the server and of all visitors.
    """

    visitors: int
    logs: list[VisitLog]
    before: float = 0.0
    highest: float = 0.0
    highest_of_each: list[float] = field(default_factory=list)
    after: float = 0.0
    recovery: float | None = None
    server_cores: float = 0.0
    visitors_cores: float = 0.0


def load(waves: dict[int, float], seed: int = SEED, replicas: int = 1) -> list[Measurement]:
    """Measure the processor time of answers, then run each wave on a new server, or on several behind a proxy.

    Args:
        waves: how many visitors, and for how many seconds they come and stay.
    """
    rows = costs() if replicas == 1 else []
    for visitors, seconds in waves.items():
        wave = run_wave(visitors, seconds, seed, replicas=replicas)
        rows += measurements(wave)
        print(describe(wave), flush=True)
    return rows


def run_wave(
    visitors: int,
    seconds: float,
    seed: int = SEED,
    thinking: tuple[float, float] = THINKING,
    arrival: float = ARRIVAL,
    recover: bool = True,
    replicas: int = 1,
    first: Sequence[str] = (),
) -> Wave:
    """Run so many visitors on a new server, or on several, after one visitor did every action once.

    Args:
        first: what every visitor does first.
    """
    photos = [photo(seed + number) for number in range(PHOTOS)]
    with servers(replicas) as server:
        for url in server.urls:
            asyncio.run(_first_visitor(url, photos))
        wave = Wave(visitors, [])
        resident = lambda: sum(server.resident_of_each())  # noqa: E731
        wave.before = _lowest_of(resident)
        busy, own, started = server.processor_seconds(), _own_seconds(), time.monotonic()
        wave.logs, wave.highest, wave.highest_of_each = asyncio.run(
            _run_visitors(server, visitors, seconds, seed, photos, thinking=thinking, arrival=arrival, first=first)
        )
        took = time.monotonic() - started
        wave.server_cores = (server.processor_seconds() - busy) / took
        wave.visitors_cores = (_own_seconds() - own) / took
        if recover:
            wave.recovery, wave.after = _recovery(resident, wave.before)
    return wave


async def _first_visitor(url: str, photos: list[bytes]) -> None:
    """Open every page and do every action once, so that everything is loaded before the measurement."""
    visitor = SimulatedVisitor(url, 0, photos)
    await visitor.open()
    for page in PAGES:
        await visitor.change_page(page)
    for action in ACTIONS:
        await visitor.act(action)
    await visitor.leave()


async def _run_visitors(
    server: Servers,
    count: int,
    seconds: float,
    seed: int,
    photos: list[bytes],
    thinking: tuple[float, float],
    arrival: float,
    first: Sequence[str],
) -> tuple[list[VisitLog], float, list[float]]:
    until = asyncio.get_running_loop().time() + seconds
    gc.freeze()  # excludes imported objects from the garbage collections of this process
    people = [SimulatedVisitor(server.url, 1000 * seed + number, photos, thinking) for number in range(count)]
    staying = asyncio.gather(*(person.stay(until, arrival, first) for person in people))
    highest, of_each = 0.0, [0.0] * len(server.urls)
    while not staying.done():
        await asyncio.wait([staying], timeout=SAMPLE_SECONDS)
        resident = await asyncio.to_thread(server.resident_of_each)
        highest, of_each = max(highest, sum(resident)), list(map(max, of_each, resident))
    return await staying, highest, of_each


def _own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _lowest_of(measure: Callable[[], float], looks: int = 5) -> float:
    """The lowest of several samples, for an idle server."""
    samples = []
    for _ in range(looks):
        samples.append(measure())
        time.sleep(1)
    return min(samples)


def _recovery(measure: Callable[[], float], before: float) -> tuple[float | None, float]:
    started = time.monotonic()
    while time.monotonic() - started < PATIENCE:
        now = measure()
        if now <= RECOVERED * before:
            return time.monotonic() - started, now
        time.sleep(SAMPLE_SECONDS)
    return None, now


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def problems(wave: Wave) -> list[str]:
    """Every error that a visitor saw, and every lost connection."""
    shown = [problem for log in wave.logs for done in log.done for problem in done.answer.problems]
    return shown + [reason for log in wave.logs for reason in log.lost]


def measurements(wave: Wave) -> list[Measurement]:
    """The rows of the table: answers by action, errors, memory."""
    people = f"{wave.visitors} visitor{'s' if wave.visitors > 1 else ''}"
    times: dict[str, list[float]] = {"all": []}
    for log in wave.logs:
        for done in log.done:
            times.setdefault(done.action, []).append(done.milliseconds)
            times["all"].append(done.milliseconds)
    rows = []
    for action, milliseconds in times.items():
        group = f"{people}, answer"
        rows += summarise(group, {action: milliseconds})
        rows += summarise(group, {f"{action}, 95th percentile": [percentile(milliseconds, 0.95)]})
    late = [done for log in wave.logs for done in log.done if done.milliseconds > 2000]
    notified = sum(done.answer.waited for done in late)
    counts = {
        "answers": len(times["all"]),
        "errors": len(problems(wave)),
        "lost sessions": sum(len(log.lost) for log in wave.logs),
        "answers after 2 s": len(late),
        "of these, told to wait": notified,
    }
    rows += [Measurement(people, name, value, value, value, 1, 1, "") for name, value in counts.items()]
    memory = {
        "memory before": wave.before,
        "memory, highest": wave.highest,
        "memory a visitor": (wave.highest - wave.before) / wave.visitors,
        "memory after": wave.after,
    }
    rows += [Measurement(people, name, value, value, value, 1, 1, "MB") for name, value in memory.items()]
    recovered = {} if wave.recovery is None else {"memory back after": wave.recovery}
    rows += [Measurement(people, name, value, value, value, 1, 1, "s") for name, value in recovered.items()]
    cores = {"cores, server": wave.server_cores, "cores, visitors": wave.visitors_cores}
    rows += [Measurement(people, name, value, value, value, 1, 1, "") for name, value in cores.items()]
    return rows


def describe(wave: Wave) -> str:
    """One line about a wave, and its errors."""
    times = [done.milliseconds for log in wave.logs for done in log.done]
    back = "not back" if wave.recovery is None else f"back after {wave.recovery:.0f} s"
    lines = [
        f"{wave.visitors} visitors: {len(times)} answers, median {statistics.median(times):.0f} ms, "
        f"95 % within {percentile(times, 0.95):.0f} ms, {len(problems(wave))} errors; "
        f"memory {wave.before:.0f} -> {wave.highest:.0f} -> {wave.after:.0f} MB, {back}; "
        f"cores: server {wave.server_cores:.2f}, visitors {wave.visitors_cores:.2f}"
    ]
    return "\n".join(lines + [f"  {problem}" for problem in problems(wave)[:10]])
