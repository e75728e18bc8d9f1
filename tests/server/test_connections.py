"""A running server opens no connection, looks up no name and starts no program: an audit hook records each of them.

A user goes through every page, types, uploads and downloads; foreign hosts and origins are refused everywhere; broken
messages arrive; then the server idles. The hook covers every Python library, but not native code.
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
from tests.coroutines import run_in_thread
from tests.deploy.visitor import Response, request
from tests.fuzz.visitor import RecordingVisitor
from tests.processes import wait_until
from views.controls.picture_input import LABEL

WATCHED = Path(__file__).parent / "watched"
IDLE = 6.0  # seconds; periodic work is due every five
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
WITHOUT_FILES = ("glossary", "lessons", "models")  # pages
CONNECTING = """
import socket, subprocess
from tests.coroutines import run_in_thread
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
socket.socket().connect_ex(("127.0.0.1", 9))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("127.0.0.1", 9))
socket.getaddrinfo("localhost", 80)
socket.gethostbyname("localhost")
subprocess.run(["true"])
"""


class AuditedServer(AppServer):
    """The app, with a record of its connections, look-ups and programs."""

    def __init__(self, record: Path, *options: str) -> None:
        super().__init__("app.py", *options, **audit_variables(record))
        self._record = record

    def ready(self) -> bool:
        """Whether both models have computed something."""
        return request(self.url, "/healthz").status == 200

    def wait(self) -> None:
        """Return once the server is ready."""
        wait_until(self.ready, self._process, self.name, self.log, self.patience)

    def events(self) -> list[list[str]]:
        """The recorded events and their arguments, in order."""
        return [json.loads(line) for line in self._record.read_text().splitlines()]


def audit_variables(record: Path) -> dict[str, str]:
    """The environment variables with which Python writes the record."""
    path = os.pathsep.join(filter(None, [str(WATCHED), os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path, "ATLAS_WATCHED": str(record)}


def test_the_record_contains_every_kind_of_event(tmp_path: Path):
    record = tmp_path / "asked.jsonl"
    subprocess.run([sys.executable, "-c", CONNECTING], env=os.environ | audit_variables(record), check=True)
    events = [json.loads(line)[0] for line in record.read_text().splitlines()]
    connections = ["socket.connect", "socket.connect", "socket.sendto"]
    assert events == [*connections, "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen"]


def test_a_server_on_all_interfaces_looks_up_no_external_address(tmp_path: Path):
    with AuditedServer(tmp_path / "asked.jsonl", "--server.address=0.0.0.0") as server:
        assert server.events() == []


@pytest.mark.nightly
def test_the_server_opens_no_connection(tmp_path: Path):
    with AuditedServer(tmp_path / "asked.jsonl") as server:
        server.wait()
        assert server.events() == [], "while it started, these were recorded"
        run_in_thread(read_everything(server))
        assert server.events() == [], "while a user read"
        origins, hosts = shake_hands(server)
        assert server.events() == [], "while foreign hosts and origins were refused"
        assert (origins, hosts) == ({403}, {421})
        send_broken_messages(server)
        assert server.events() == [], "while broken messages arrived"
        time.sleep(IDLE)
        assert server.events() == [], "while it idled"
        assert server.ready()


async def read_everything(server: AuditedServer) -> None:
    """Open every page, translate a sentence, download a file of each page and upload a picture."""
    visitor = RecordingVisitor(server.url)
    await visitor.open()
    await visitor.read("We have two cars.")
    for page in visitor.pages:
        assert (await visitor.go_to(page)).problems == []
        assert page in WITHOUT_FILES or await visitor.download()
    await visitor.go_to("vision")
    assert (await visitor.upload(LABEL(), "photo.jpg", photo(1))).problems == []
    await visitor.close()


def shake_hands(server: AuditedServer) -> tuple[set[int], set[int]]:
    """Request every address with every foreign origin and host; the statuses of refused sockets for both."""
    for origin, path in itertools.product(FOREIGN, PATHS):
        get(server, path, Origin=origin)
    for host, path in itertools.product(HOSTS, PATHS):
        get(server, path, Host=host)
    socket = "/_stcore/stream"
    origins = {get(server, socket, **HANDSHAKE, Origin=origin).status for origin in FOREIGN}
    return origins, {get(server, socket, **HANDSHAKE, Host=host).status for host in HOSTS}


def send_broken_messages(server: AuditedServer) -> None:
    """Use every method on every address, and send messages that no browser sends."""
    for path, method in itertools.product(PATHS, METHODS):
        get(server, path, method)
    for message in BROKEN:
        address = server.url.replace("http", "ws", 1) + "/_stcore/stream"
        with contextlib.suppress(ConnectionClosed, TimeoutError), connect(address, compression=None) as socket:
            socket.send(message)
            socket.recv(timeout=0.2)


def get(server: AuditedServer, path: str, method: str = "GET", **headers: str) -> Response:
    """Send an HTTP request; any response is accepted."""
    return request(server.url, path, method, b"body" if method in ("PUT", "POST") else None, **headers)
