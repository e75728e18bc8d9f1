"""Processor time of the server for each kind of answer, from one visitor who asks one thing after the other."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable

from benchmarks.load_protocol import RunResult
from benchmarks.load_servers import servers
from benchmarks.load_visitor import SENTENCES, SimulatedVisitor
from benchmarks.timing import Measurement

SETTLED = 0.05  # seconds after an answer, in which the server ends what belongs to it
SENTENCES_TYPED, PULLS = 16, 16  # of each sentence typed, the last four words are asked for
NAMES = {"typing": "typed word", "sentence": "Enter"}  # other actions have their own name


class CostedVisitor(SimulatedVisitor):
    """A visitor who asks how much processor time the server has used after each answer.

    Attributes:
        costs: by action, seconds of each answer.
    """

    def __init__(self, url: str, seed: int, used: Callable[[], float]) -> None:
        super().__init__(url, seed, [], (0, 0))
        self._used = used
        self.costs: dict[str, list[float]] = {}

    async def _timed(self, action: str, request: Awaitable[RunResult]) -> None:
        before = self._used()
        await super()._timed(action, request)
        await asyncio.sleep(SETTLED)
        self.costs.setdefault(action, []).append(self._used() - before)


async def measure_costs(url: str, used: Callable[[], float], seed: int = 1) -> dict[str, list[float]]:
    """Return the processor seconds of each answer, by kind: typed words, pulls with what belongs to them, Enter.

    Args:
        url: of a server without other visitors.
        used: returns its processor seconds so far, in steps of a hundredth or less.
    """
    visitor = CostedVisitor(url, seed, used)
    await visitor.open()
    await visitor.type_slowly(SENTENCES[0])
    await visitor.pull()
    visitor.costs.clear()  # what the first of a kind loads is not counted
    for number in range(1, SENTENCES_TYPED + 1):
        await visitor.type_slowly(SENTENCES[number * 97 % len(SENTENCES)])
    for _ in range(PULLS):
        await visitor.pull()
    await visitor.leave()
    return {NAMES.get(action, action): seconds for action, seconds in visitor.costs.items()}


def costs() -> list[Measurement]:
    """Measure on a new server; print a line for each kind, and return the rows of the table."""
    with servers() as server:
        found = asyncio.run(measure_costs(server.url, server.processor_seconds))
    rows = []
    for name, seconds in found.items():
        milliseconds = [1000 * each for each in seconds]
        mean, count = statistics.mean(milliseconds), len(seconds)
        print(f"{name}: {mean:.0f} ms of processor time an answer, mean of {count}", flush=True)
        low, high = min(milliseconds), max(milliseconds)
        rows.append(Measurement("processor time an answer, mean", name, mean, low, high, 1, count, "ms"))
    return rows
