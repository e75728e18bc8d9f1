"""Speed of training the translator on one and on two processes: the real program, stopped after some steps.

Each candidate runs `python -m training translator` in a new folder, and is stopped once its metrics file has
enough lines; the first line, which includes the warm-up, does not count. With two processes a step takes a batch on
each, so target tokens per second over all processes are compared, as reported in the metrics file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import Measurement, summarise
from model.runtime.training_record import METRICS, read_metrics

LINES = 2  # lines of the metrics file that count, 25 steps each
ROUNDS = 3
PATIENCE = 1800  # seconds for one start
LOOK_EVERY = 0.5  # seconds


@dataclass(frozen=True)
class ProcessLayout:
    """The number of processes, and of threads in each."""

    processes: int
    threads: int

    @property
    def name(self) -> str:
        """The name in the table."""
        return f"{self.processes} x {self.threads} thread{'s' * (self.threads > 1)}"

    @property
    def start(self) -> list[str]:
        """The arguments between Python and the name of the program."""
        torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={self.processes}"]
        return [*(torchrun if self.processes > 1 else []), "-m"]

    def command(self, data: Path, out: Path) -> list[str]:
        """The program with its arguments."""
        run = ["training", "translator", "--data", str(data), "--out", str(out), "--device", "cpu"]
        return [sys.executable, *self.start, *run]


CANDIDATES = (ProcessLayout(1, 1), ProcessLayout(1, 2), ProcessLayout(2, 1))


def scaling(data: Path) -> list[Measurement]:
    """Tokens per second of each candidate; they are interleaved.

    Args:
        data: sentence pairs, as the training program reads them.
    """
    speeds: dict[str, list[float]] = {candidate.name: [] for candidate in CANDIDATES}
    for _ in range(ROUNDS):
        for candidate in CANDIDATES:
            speeds[candidate.name].append(speed(candidate, data))
    return summarise("training the translator", speeds, "tokens/s")


def speed(candidate: ProcessLayout, data: Path) -> float:
    """Target tokens per second, the mean of the lines that count.

    Raises:
        RuntimeError: the program ended, or was not quick enough.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        settings = os.environ | {"OMP_NUM_THREADS": str(candidate.threads)}
        with (out / "output.txt").open("w+") as output:
            # its own process group, since torchrun has children
            process = subprocess.Popen(
                candidate.command(data, out), env=settings, stdout=output, stderr=output, start_new_session=True
            )
            try:
                deadline = time.monotonic() + PATIENCE
                while len(lines := _lines(out)) <= LINES:
                    if process.poll() is not None or time.monotonic() > deadline:
                        output.seek(0)
                        raise RuntimeError(f"{candidate.name} did not come to {LINES + 1} lines:\n{output.read()}")
                    time.sleep(LOOK_EVERY)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return sum(line["tokens_per_second"] for line in lines[1 : 1 + LINES]) / LINES


def _lines(out: Path) -> list[dict]:
    return [row for row in read_metrics(out / METRICS) if row["event"] == "step"]
