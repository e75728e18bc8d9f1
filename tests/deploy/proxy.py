"""Run nginx with the configuration of deploy/ from a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import BinaryIO

from tests.deploy.image import ROOT
from tests.processes import ServerProcess, free_port

RENDER = ROOT / "deploy" / "nginx" / "render.sh"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
PATIENCE = 240  # seconds; generous, for a busy machine


def render(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run render.sh with only these settings."""
    environment = {"PATH": os.environ["PATH"], **settings}
    return subprocess.run(["sh", str(RENDER), str(folder)], env=environment, capture_output=True, text=True)


class Proxy(ServerProcess):
    """A running nginx; use it with `with`. `url` is its address.

    Args:
        settings: of render.sh; LISTEN is set here.
    """

    name, patience = "nginx", PATIENCE

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.settings = {"LISTEN": f"127.0.0.1:{self.port}", **settings}

    def command(self) -> list[str]:
        rendered = render(self.folder, **self.settings)
        assert rendered.returncode == 0, rendered.stderr
        # started by root, nginx would run its workers as a user without access to the tests' folder
        user = "user root; " if os.getuid() == 0 else ""
        return [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-g", f"daemon off; {user}"]

    def open_log(self) -> BinaryIO:
        return (self.folder / "output.log").open("ab")

    def log(self) -> str:
        """The output of nginx so far: access log and errors."""
        return (self.folder / "output.log").read_text(encoding="utf-8")

    def answers(self) -> bool:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True

    def requests(self) -> list[dict]:
        """The access log so far; the latest second may still be missing."""
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]
