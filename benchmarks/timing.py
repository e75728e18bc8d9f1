"""Fair timing: the candidates are interleaved, so that slow moments of the machine affect all of them alike."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Measurement:
    """The measurements of one candidate, and its ratio to the first candidate, round by round.

    Attributes:
        median, lowest, highest: of all rounds, in `unit`.
        ratio: median over the rounds of this candidate's time divided by the first one's.
    """

    group: str
    name: str
    median: float
    lowest: float
    highest: float
    ratio: float
    rounds: int
    unit: str = "ms"

    def to_dict(self) -> dict:
        """All fields, for JSON."""
        return asdict(self)


def interleave(
    group: str, candidates: dict[str, Callable[[], object]], rounds: int = 15, warm_up: int = 2
) -> list[Measurement]:
    """Call every candidate once a round and compare.

    Args:
        group: heading of the comparison.
        candidates: name -> function to time; the first is the reference of the ratios.
        rounds: counted rounds, after `warm_up` uncounted ones.
    """
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(warm_up + rounds):
        for name, call in candidates.items():
            started = time.perf_counter()
            call()
            if number >= warm_up:
                times[name].append(1000 * (time.perf_counter() - started))
    return summarise(group, times)


def summarise(group: str, times: dict[str, list[float]], unit: str = "ms") -> list[Measurement]:
    """Medians and ratios of times, or of values in `unit`, measured in rounds; all lists are equally long."""
    first = next(iter(times.values()))
    return [
        Measurement(
            group,
            name,
            statistics.median(values),
            min(values),
            max(values),
            statistics.median(_ratio(*both) for both in zip(values, first, strict=True)),
            len(values),
            unit,
        )
        for name, values in times.items()
    ]


def _ratio(mine: float, first: float) -> float:
    """The ratio; 1 if both are 0, such as bytes if the browser requests none."""
    return mine / first if first else (math.inf if mine else 1.0)


def table(measurements: list[Measurement]) -> str:
    """The measurements as a Markdown table."""
    lines = ["| what | candidate | median | min to max | ratio to first |", "| --- | --- | --- | --- | --- |"]
    for row in measurements:
        median, lowest, highest = (f"{round(value, 2):g}" for value in (row.median, row.lowest, row.highest))
        spread = f"{lowest} to {highest}"
        lines.append(f"| {row.group} | {row.name} | {median} {row.unit} | {spread} | {row.ratio:.2f} |")
    return "\n".join(lines)
