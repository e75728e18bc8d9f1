"""Speed of a study of the translator's heads on one and on two processes: the whole program, from its start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.scaling import CANDIDATES, ProcessLayout
from benchmarks.timing import Measurement, summarise

INPUTS, ROUNDS = 200, 3


def study(data: Path) -> list[Measurement]:
    """Inputs per second of each candidate, start included; they are interleaved.

    Args:
        data: texts or pairs of texts, as `python -m model.study` reads them.
    """
    speeds: dict[str, list[float]] = {candidate.name: [] for candidate in CANDIDATES}
    for _ in range(ROUNDS):
        for candidate in CANDIDATES:
            speeds[candidate.name].append(speed(candidate, data))
    return summarise("studying the translator", speeds, "inputs/s")


def speed(candidate: ProcessLayout, data: Path) -> float:
    """Inputs per second.

    Raises:
        CalledProcessError: the program ended badly.
    """
    with tempfile.TemporaryDirectory() as out:
        options = ["translator", str(data), "--out", out, "--inputs", str(INPUTS), "--device", "cpu"]
        settings = os.environ | {"OMP_NUM_THREADS": str(candidate.threads)}
        command = [sys.executable, *candidate.start, "model.study", *options]
        started = time.perf_counter()
        subprocess.run(command, env=settings, check=True, capture_output=True)
        return INPUTS / (time.perf_counter() - started)
