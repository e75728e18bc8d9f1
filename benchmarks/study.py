"""Does a study of the translator's heads go faster on two processes than on one? The whole program, from its start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.scaling import CANDIDATES, Candidate
from benchmarks.timing import Measurement, summarise

INPUTS, ROUNDS = 200, 3


def study(data: Path) -> list[Measurement]:
    """Inputs a second of each candidate, the start counted; they take turns.

    Args:
        data: texts or pairs of texts, as `python -m model.study` reads them.
    """
    speeds: dict[str, list[float]] = {candidate.name: [] for candidate in CANDIDATES}
    for _ in range(ROUNDS):
        for candidate in CANDIDATES:
            speeds[candidate.name].append(speed(candidate, data))
    return summarise("studying the translator", speeds, "inputs/s")


def speed(candidate: Candidate, data: Path) -> float:
    """Inputs a second.

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
