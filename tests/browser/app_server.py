"""The app as `streamlit run` starts it, on a free port, for tests and benchmarks."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import BinaryIO

from tests.processes import ServerProcess, answers_http, free_port, processor_seconds, resident_megabytes

PATIENCE = 180  # seconds; when a test gives up, not the limit of a start


class AppServer(ServerProcess):
    """A running app; use it with `with`, again for another process at the same `url`.

    Args:
        script: path of the script to run, from the project's folder.
        options: further options of the command.
        variables: of the environment, in addition to those of this process.
    """

    name, patience = "The app", PATIENCE

    def __init__(self, script: str = "app.py", *options: str, **variables: str) -> None:
        self._script, self._options, self._variables = script, options, variables
        self._port: int | None = None

    def command(self) -> list[str]:
        self._port = self._port or free_port("localhost")
        self.url = f"http://localhost:{self._port}"
        options = [f"--server.port={self._port}", "--server.headless=true"]
        return [sys.executable, "-m", "streamlit", "run", self._script, *options, *self._options]

    def environment(self) -> dict[str, str]:
        return os.environ | self._variables

    def open_log(self) -> BinaryIO:
        return tempfile.TemporaryFile()

    def log(self) -> str:
        """Return the app's output so far."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace")

    def answers(self) -> bool:
        return answers_http(f"{self.url}/_stcore/health")

    def resident_megabytes(self) -> float:
        """Return the memory that the app uses."""
        return resident_megabytes(self._process.pid)

    def processor_seconds(self) -> float:
        """Return the processor time of the app so far, in all its threads."""
        return processor_seconds(self._process.pid)
