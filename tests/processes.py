"""Start servers as processes for tests and benchmarks, and wait until they answer."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Self

import psutil

ROOT = Path(__file__).resolve().parents[1]


def free_port(host: str = "127.0.0.1") -> int:
    """An unused port."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def answers_http(url: str) -> bool:
    """True if `url` answers with status 200.

    Raises:
        OSError: it does not answer, or with an error.
    """
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.status == 200


class ServerProcess(ABC):
    """A server that runs while a context lasts.

    Attributes:
        name: for messages.
        patience: seconds that it may take until it answers.
    """

    name: str
    patience: float

    @abstractmethod
    def command(self) -> list[str]:
        """The command that starts it in the project's folder; called when the context is entered."""

    def environment(self) -> dict[str, str] | None:
        """The environment variables of the process; None for those of this process."""
        return None

    @abstractmethod
    def open_log(self) -> BinaryIO:
        """The file for its output."""

    @abstractmethod
    def log(self) -> str:
        """Its output so far."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it answers; an OSError counts as no."""

    def __enter__(self) -> Self:
        command = self.command()
        self._output = self.open_log()
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment(), stdout=self._output, stderr=subprocess.STDOUT
        )
        try:
            wait_until(self.answers, self._process, self.name, self.log, self.patience)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._output.close()


def wait_until(
    answers: Callable[[], bool], process: subprocess.Popen, name: str, log: Callable[[], str], seconds: float
) -> None:
    """Return once the server answers.

    Args:
        answers: whether it answers; an OSError counts as no.
        name: of the server, for error messages.
        log: its output so far.

    Raises:
        RuntimeError: it ended, or did not answer in time; contains the output.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended before it answered:\n{log()}")
        try:
            if answers():
                return
        except OSError:
            pass
        time.sleep(0.02)
    raise RuntimeError(f"{name} did not answer within {seconds:g} s:\n{log()}")


def resident_megabytes(pid: int) -> float:
    """Resident memory of a process."""
    return int(_ps(pid, "rss=")) * 1024 / 1e6


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used so far, in all its threads, in steps of a hundredth of a second."""
    used = psutil.Process(pid).cpu_times()
    return used.user + used.system


def _ps(pid: int, field: str) -> str:
    return subprocess.run(["ps", "-o", field, "-p", str(pid)], capture_output=True, text=True, check=True).stdout
