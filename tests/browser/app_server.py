"""The app as `streamlit run` starts it, on a free port, for tests and benchmarks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.processes import answers_http, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds


class AppServer:
    """A running app; use it with `with`. `url` is its address.

    Args:
        script: what to run, from the project's folder.
    """

    def __init__(self, script: str = "app.py") -> None:
        self._script = script

    def __enter__(self) -> AppServer:
        port = free_port("localhost")
        self.url = f"http://localhost:{port}"
        self._log = tempfile.TemporaryFile()
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            self._script,
            f"--server.port={port}",
            "--server.headless=true",
        ]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=self._log, stderr=subprocess.STDOUT)
        try:
            health = f"{self.url}/_stcore/health"
            wait_until(lambda: answers_http(health), self._process, "The app", self.log, PATIENCE)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._log.close()

    def log(self) -> str:
        """What the app has printed so far."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def resident_megabytes(self) -> float:
        """Memory that the app holds at this moment."""
        asked = ["ps", "-o", "rss=", "-p", str(self._process.pid)]
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout) * 1024 / 1e6

    def processor_seconds(self) -> float:
        """Processor time that the app has used so far, in all its threads."""
        asked = ["ps", "-o", "cputimes=", "-p", str(self._process.pid)]
        return float(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
