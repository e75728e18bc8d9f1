"""A running server opens no connection, looks up no name and starts no program: an audit hook records each of them.

A user goes through every page, types, uploads and downloads; foreign hosts and origins are refused everywhere; broken
messages arrive; then the server idles. The hook covers every Python library, but not native code.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import uvicorn
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs
from uvicorn.lifespan.on import LifespanOn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from benchmarks.load_visitor import photo
from server import connections
from server.clients import SocketsByAddress, trusted_proxies
from server.connections import LimitedHttpProtocol, LimitedWebSocketProtocol
from server.limits import SocketLimits
from server.websocket_messages import MessageFilter
from tests.browser.app_server import AppServer
from tests.coroutines import run_in_thread
from tests.deploy.visitor import Response, request
from tests.fuzz.visitor import RecordingVisitor
from tests.processes import free_port, wait_until
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


PATIENCE = 20  # seconds
LIMITS = SocketLimits(per_address=2)


@pytest.fixture(scope="module", params=["", "127.0.0.1"], ids=["no proxy", "a proxy"])
def server(request) -> Iterator[tuple[str, str]]:
    """The URL of a server whose app answers each message with its length, and its trusted proxies."""

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": str(len(message["bytes"]))})

    limited = SocketsByAddress(MessageFilter(app, LIMITS), LIMITS, trusted_proxies(request.param))
    port = free_port()
    settings = _get_uvicorn_config_kwargs() | {"log_level": "critical", "lifespan": "off"}
    running = uvicorn.Server(uvicorn.Config(limited, port=port, **settings))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE
    while not running.started:
        assert time.monotonic() < until
        time.sleep(0.01)
    yield f"ws://127.0.0.1:{port}", request.param
    running.should_exit = True
    thread.join(PATIENCE)


def open_socket(url: str, claim: str) -> AbstractContextManager[ClientConnection]:
    return connect(url, additional_headers={"X-Forwarded-For": claim}, compression=None, open_timeout=PATIENCE)


def test_a_claimed_address_counts_from_a_trusted_proxy_only(server: tuple[str, str]):
    url, proxy = server
    with open_socket(url, "198.51.100.1"), open_socket(url, "198.51.100.2"):
        if proxy:
            with open_socket(url, "198.51.100.3"):
                return
        with pytest.raises(InvalidStatus) as refused, open_socket(url, "198.51.100.3"):
            pass
        assert refused.value.response.status_code == 429
        assert refused.value.response.body.startswith(b"Too many windows of this site")


def test_a_message_that_is_too_large_is_refused_by_its_header(server: tuple[str, str]):
    message = BackMsg()
    message.rerun_script.query_string = "a" * (LIMITS.message_bytes - 8)
    largest = message.SerializeToString()
    assert LIMITS.message_bytes - 2 <= len(largest) <= LIMITS.message_bytes
    with open_socket(server[0], "198.51.100.9") as socket:
        socket.send(largest)
        assert socket.recv(PATIENCE) == str(len(largest))
        # the header of a frame of 100 MB without its content
        socket.socket.sendall(b"\x82\xff" + (100 * 2**20).to_bytes(8, "big") + bytes(4))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(PATIENCE)
        assert closed.value.rcvd.code == 1009


def test_a_closed_socket_leaves_nothing_in_memory(server: tuple[str, str]):
    def count() -> int:
        gc.collect()
        return sum(isinstance(each, WebSocketsSansIOProtocol) for each in gc.get_objects())

    for number in range(4):
        with open_socket(server[0], f"198.51.100.{20 + number}") as socket:
            socket.send(BackMsg(app_heartbeat=True).SerializeToString())
            socket.recv(PATIENCE)
    until = time.monotonic() + PATIENCE
    while count():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_sizes_of_a_message_s_frames_add_up(server: tuple[str, str]):
    for _ in range(5):  # the close frame is lost if the client is still sending
        with open_socket(server[0], "198.51.100.10") as socket, pytest.raises(ConnectionClosed) as closed:
            socket.send(bytes(2**19) for _ in range(4))
            socket.recv(PATIENCE)
        if closed.value.rcvd:
            break
    assert closed.value.rcvd.code == 1009


def test_under_another_server_there_is_no_peer_and_no_limit():
    async def receive():
        return {}

    assert connections.peer(receive) is None
    connections.limit_message(receive, 1)
    connections.abort(receive)
    run_in_thread(connections.until_writable(receive))
    assert not connections.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)


def test_the_connections_of_the_installed_uvicorn_get_limits_when_the_app_starts():
    config = uvicorn.Config(lambda: None, factory=True, **_get_uvicorn_config_kwargs())
    receive = LifespanOn(config).receive
    assert connections.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert (config.http_protocol_class, config.ws_protocol_class) == (LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert config.encoded_headers == []


def test_connections_of_other_classes_are_left_as_they_are():
    config = uvicorn.Config(lambda: None, factory=True, **(_get_uvicorn_config_kwargs() | {"http": "h11"}))
    receive = LifespanOn(config).receive
    websocket = config.ws_protocol_class
    assert not connections.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert (config.http_protocol_class, config.ws_protocol_class) == (H11Protocol, websocket)
