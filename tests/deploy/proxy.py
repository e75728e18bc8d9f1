"""nginx as deploy/ configures it, running for tests from a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

from tests.deploy.image import ROOT
from tests.processes import free_port, wait_until

RENDER = ROOT / "deploy" / "nginx" / "render.sh"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
PATIENCE = 240  # seconds; generous, for a busy machine


def render(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run render.sh with these settings and no others."""
    environment = {"PATH": os.environ["PATH"], **settings}
    return subprocess.run(["sh", str(RENDER), str(folder)], env=environment, capture_output=True, text=True)


class Proxy:
    """A running nginx; use it with `with`. `url` is its address.

    Args:
        settings: as render.sh takes them; LISTEN is chosen here.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.settings = {"LISTEN": f"127.0.0.1:{self.port}", **settings}
        # started by root, nginx would give its work to a user who may not look into a folder for tests
        user = "user root; " if os.getuid() == 0 else ""
        self.command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", f"daemon off; {user}"]

    def __enter__(self) -> Proxy:
        made = render(self.folder, **self.settings)
        assert made.returncode == 0, made.stderr
        self._output = (self.folder / "output.log").open("ab")
        self._process = subprocess.Popen(self.command, stdout=self._output, stderr=subprocess.STDOUT)
        try:
            wait_until(self._answers, self._process, "nginx", self.output, PATIENCE)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._output.close()

    def output(self) -> str:
        """All that nginx has written so far, its log of requests and its errors."""
        return (self.folder / "output.log").read_text(encoding="utf-8")

    def requests(self) -> list[dict]:
        """The log of requests so far; the latest second may still be missing."""
        return [json.loads(line) for line in self.output().splitlines() if line.startswith("{")]

    def _answers(self) -> bool:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True
