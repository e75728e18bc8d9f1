"""The app listens on this machine only, under its own name, and sends no errors to browsers."""

from __future__ import annotations

import http.client
import re
import time
import tomllib
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from server import addresses
from server.headers import HEADERS
from tests.browser.conftest import Server
from tests.processes import ROOT
from views import navigation

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


PATIENCE = 180  # seconds
FOREIGN = "http://elsewhere.example"
AT_ONCE = 2.0  # seconds; a look-up of this machine's address takes longer without a name server, and is in the log
ROUTES = (
    "/",
    "/attention",
    "/favicon.png",
    "/healthz",
    "/metrics",
    "/_stcore/health",
    "/_stcore/metrics",
    "/media/a.png",
)


@dataclass(frozen=True)
class Answer:
    """Status, body and headers of an answer, and how long it took."""

    status: int
    body: str
    headers: dict[str, str]
    seconds: float


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> Answer:
    """One request; underscores in the names of headers mean hyphens."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    began = time.monotonic()
    try:
        connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        got = connection.getresponse()
        body = "" if got.status == 101 else got.read().decode(errors="replace")
        return Answer(
            got.status, body, {name.lower(): text for name, text in got.getheaders()}, time.monotonic() - began
        )
    finally:
        connection.close()


def handshake(server: Server, **headers: str) -> Answer:
    """The answer to a WebSocket handshake."""
    return ask(server, "/_stcore/stream", **UPGRADE, **headers)


def test_another_host_name_is_refused_at_every_address(server: Server):
    assert handshake(server, Host=urlsplit(server.url).netloc).status == 101
    assert handshake(server, Host="elsewhere.example").status == 421
    scripts = re.findall(r"\./(static/js/[\w.-]+\.js)", ask(server, "/").body)
    for path in (*ROUTES, f"/{scripts[0]}", "/_stcore/upload_file/a/b"):
        refused = ask(server, path, Host="elsewhere.example")
        assert (refused.status, refused.body) == (421, addresses.UNKNOWN_HOST.english + "\n"), path


def test_another_origin_is_refused_immediately(server: Server):
    assert handshake(server, Origin=server.url).status == 101
    for origin in (FOREIGN, "null", "", "http://localhost", "http://localhost:1", "http://203.0.113.9:8501"):
        refused = handshake(server, Origin=origin)
        assert (refused.status, refused.body) == (403, addresses.FOREIGN_ORIGIN.english + "\n"), origin
        assert refused.seconds < AT_ONCE
        assert [ask(server, path, Origin=origin).status for path in ROUTES] == [403] * len(ROUTES)
    assert "external IP" not in server.log()
    assert ask(server, "/", Origin=server.url).status == 200


def test_unknown_addresses_get_404(server: Server):
    for path in (
        "/nothing",
        "/attention/more",
        "/static/js/none.js",
        "/index.html",
        "/_stcore/agent/mcp",
        "/auth/login",
    ):
        assert ask(server, path).status == 404, path
    assert ask(server, "/attention/").headers["location"] == "/attention"


def test_every_answer_has_the_safety_headers(server: Server):
    answers = [ask(server, path) for path in (*ROUTES, "/nothing")] + [handshake(server, Origin=server.url)]
    answers += [ask(server, "/", Host="elsewhere.example"), handshake(server, Origin=FOREIGN), ask(server, "/", "POST")]
    for answer in answers:
        assert HEADERS.items() <= {name: answer.headers.get(name.lower()) for name in HEADERS}.items()
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert ask(server, "/media/a.png").headers["cache-control"] == "no-store"


def test_no_message_clears_the_models_of_others(server: Server):
    wait_until_ready(server)
    loaded = ask(server, "/metrics").body
    address = f"{server.url.replace('http', 'ws')}/_stcore/stream"
    with connect(address, origin=server.url, subprotocols=["streamlit"], max_size=None) as socket:
        for kind in ("clear_cache", "set_run_on_save", "load_git_info", "debug_shutdown_runtime"):
            socket.send(BackMsg(**{kind: True}).SerializeToString())
        message = BackMsg()
        message.rerun_script.query_string = ""
        socket.send(message.SerializeToString())
        received = []
        while not received or received[-1].WhichOneof("type") != "script_finished":
            received.append(ForwardMsg.FromString(socket.recv(PATIENCE)))
    assert "git_info_changed" not in [answer.WhichOneof("type") for answer in received]
    assert not any(answer.session_status_changed.run_on_save for answer in received)
    assert ask(server, "/healthz").status == 200
    assert "atlas_ready 1.0" in loaded and "atlas_ready 1.0" in ask(server, "/metrics").body
    assert server.log().count('"event": "ready"') == 1
    assert "developer mode" not in server.log() and "development mode" not in server.log()


def test_no_page_contains_the_path_of_the_app(server: Server):
    address = f"{server.url.replace('http', 'ws')}/_stcore/stream"
    with connect(address, origin=server.url, subprotocols=["streamlit"], max_size=None) as socket:
        for name in ("", *sorted(navigation.page_ids())):
            message = BackMsg()
            message.rerun_script.page_name = name
            socket.send(message.SerializeToString())
            kind, messages = "", []
            while kind != "script_finished":
                content = socket.recv(PATIENCE)
                kind = ForwardMsg.FromString(content).WhichOneof("type")
                messages.append(content)
            assert len(messages) > 10
            assert not [content for content in messages if str(ROOT).encode() in content], name


def test_a_message_that_is_too_large_is_refused_before_it_is_read(server: Server):
    address = f"{server.url.replace('http', 'ws')}/_stcore/stream"
    with connect(address, origin=server.url, subprotocols=["streamlit"], max_size=None) as socket:
        socket.socket.sendall(b"\x82\xff" + (100 * 2**20).to_bytes(8, "big") + bytes(4))  # the head of a frame, no more
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(PATIENCE)
        assert closed.value.rcvd.code == 1009


def wait_until_ready(server: Server) -> None:
    until = time.monotonic() + PATIENCE
    while ask(server, "/healthz").status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_settings():
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert settings["server"]["address"] == "localhost"
    assert settings["server"]["maxUploadSize"] == 8
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["browser"]["serverAddress"] == "localhost"  # else a server for everybody asks for its own address
    assert settings["client"]["showErrorDetails"] == "none"
