"""The server turns to nobody: every connection, look-up and program of a running one is written down: there are none.

A reader goes through every page, types, uploads and downloads; strangers are refused in every way there is; messages
are broken; then nobody does anything for a while. Python itself tells whom it turns to, whichever of its libraries
asks; what a library of another language does behind its back would not be seen.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from benchmarks.load_visitor import photo
from tests.browser.app_server import AppServer
from tests.deploy.visitor import Response, request
from tests.elsewhere import run_elsewhere
from tests.fuzz.visitor import Reader
from tests.processes import wait_until
from views.controls.picture_input import LABEL

WATCHED = Path(__file__).parent / "watched"
IDLE = 6.0  # seconds; what the server does now and then, it does every five
FOREIGN = ("http://elsewhere.example", "https://localhost.elsewhere.example", "http://192.0.2.7", "null", "http://[::1")
HOSTS = ("elsewhere.example", "192.0.2.7", "localhost.elsewhere.example", "localhost:port", "", "[::1", "a@localhost")
METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST")
PATHS = (
    "/", "/attention", "/no/such/page", "/healthz", "/metrics", "/_stcore/health", "/_stcore/host-config",
    "/_stcore/metrics", "/_stcore/stream", "/_stcore/script-health-check", "/_stcore/upload_file/session/file",
    "/_stcore/agent/mcp", "/_stcore/agent/openapi.json", "/_stcore/agent/interact", "/_stcore/bidi-components/a/b.js",
    "/component/a/index.html", "/media/no.png", "/app/static/file", "/auth/login", "/auth/logout", "/oauth2callback",
    "/%2e%2e/%2e%2e/etc/passwd", "//elsewhere.example",
)  # fmt: skip
HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
BROKEN = (b"", b"\xff\xff\xff", b"\x0a\xff\x01", b"\x00" * 2_000_000, "text", b"\x10\x01", b"\x20\x01", b"\x62\x00")
ASKS = """
import socket, subprocess
from tests.elsewhere import run_elsewhere
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
socket.socket().connect_ex(("127.0.0.1", 9))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("127.0.0.1", 9))
socket.getaddrinfo("localhost", 80)
socket.gethostbyname("localhost")
subprocess.run(["true"])
"""


class Watched(AppServer):
    """The app, with a record of whom it turned to."""

    def __init__(self, record: Path, *options: str) -> None:
        super().__init__("app.py", *options, **watching(record))
        self._record = record

    def ready(self) -> bool:
        """Whether both models have computed something."""
        return request(self.url, "/healthz").status == 200

    def wait(self) -> None:
        """Return once the server is ready."""
        wait_until(self.ready, self._process, self.name, self.log, self.patience)

    def asked(self) -> list[list[str]]:
        """What was asked for and of whom, in order."""
        return [json.loads(line) for line in self._record.read_text().splitlines()]


def watching(record: Path) -> dict[str, str]:
    """The variables that make a Python write the record."""
    path = os.pathsep.join(filter(None, [str(WATCHED), os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path, "ATLAS_WATCHED": str(record)}


def test_the_record_is_not_blind(tmp_path: Path):
    record = tmp_path / "asked.jsonl"
    subprocess.run([sys.executable, "-c", ASKS], env=os.environ | watching(record), check=True)
    events = [json.loads(line)[0] for line in record.read_text().splitlines()]
    connections = ["socket.connect", "socket.connect", "socket.sendto"]
    assert events == [*connections, "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen"]


def test_a_server_that_listens_to_everyone_asks_nobody_for_its_address(tmp_path: Path):
    with Watched(tmp_path / "asked.jsonl", "--server.address=0.0.0.0") as server:
        assert server.asked() == []


@pytest.mark.slow
def test_the_server_turns_to_nobody(tmp_path: Path):
    with Watched(tmp_path / "asked.jsonl") as server:
        server.wait()
        assert server.asked() == [], "while it started"
        run_elsewhere(read_everything(server))
        assert server.asked() == [], "while somebody read"
        origins, hosts = shake_hands(server)
        assert server.asked() == [], "while strangers were refused"
        assert (origins, hosts) == ({403}, {421})
        send_nonsense(server)
        assert server.asked() == [], "while nonsense came"
        time.sleep(IDLE)
        assert server.asked() == [], "while nobody was there"
        assert server.ready()


async def read_everything(server: Watched) -> None:
    """Every page, a sentence, a file of each page, a picture."""
    reader = Reader(server.url)
    await reader.open()
    await reader.read("We have two cars.")
    for page in reader.pages:
        assert (await reader.go_to(page)).problems == []
        assert page == "models" or await reader.download()  # on that page nothing may be opened here
    await reader.go_to("vision")
    assert (await reader.upload(LABEL(), "photo.jpg", photo(1))).problems == []
    await reader.close()


def shake_hands(server: Watched) -> tuple[set[int], set[int]]:
    """Come from every foreign origin and under every wrong name, to every address; how sockets were refused to both."""
    for origin, path in itertools.product(FOREIGN, PATHS):
        get(server, path, Origin=origin)
    for host, path in itertools.product(HOSTS, PATHS):
        get(server, path, Host=host)
    socket = "/_stcore/stream"
    origins = {get(server, socket, **HANDSHAKE, Origin=origin).status for origin in FOREIGN}
    return origins, {get(server, socket, **HANDSHAKE, Host=host).status for host in HOSTS}


def send_nonsense(server: Watched) -> None:
    """Use every method on every address, and send messages that no browser sends."""
    for path, method in itertools.product(PATHS, METHODS):
        get(server, path, method)
    for message in BROKEN:
        address = server.url.replace("http", "ws", 1) + "/_stcore/stream"
        with contextlib.suppress(ConnectionClosed, TimeoutError), connect(address, compression=None) as socket:
            socket.send(message)
            socket.recv(timeout=0.2)


def get(server: Watched, path: str, method: str = "GET", **headers: str) -> Response:
    """Ask by HTTP, and take any answer."""
    return request(server.url, path, method, b"body" if method in ("PUT", "POST") else None, **headers)
