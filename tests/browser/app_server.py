"""The app as `streamlit run` starts it, on a free port, for tests and benchmarks."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

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
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            port = probe.getsockname()[1]
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
            self._wait_until_healthy()
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

    def _wait_until_healthy(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"The app ended before it started:\n{self.log()}")
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
        raise RuntimeError(f"The app did not answer within {PATIENCE} s:\n{self.log()}")
