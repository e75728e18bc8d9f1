"""The installed uvicorn, started as Streamlit starts it, has the attributes that the server reads."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
import uvicorn
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs
from uvicorn.lifespan.on import LifespanOn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from server import uvicorn_socket
from server.limits import SocketLimits
from server.middleware import LimitedHttpProtocol, SocketsByAddress, trusted_proxies
from server.websocket_connection import LimitedWebSocketProtocol
from server.websocket_messages import MessageFilter
from tests.coroutines import run_in_thread
from tests.processes import free_port

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

    assert uvicorn_socket.peer(receive) is None
    uvicorn_socket.limit_message(receive, 1)
    uvicorn_socket.abort(receive)
    run_in_thread(uvicorn_socket.until_writable(receive))
    assert not uvicorn_socket.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)


def test_the_connections_of_the_installed_uvicorn_get_limits_when_the_app_starts():
    config = uvicorn.Config(lambda: None, factory=True, **_get_uvicorn_config_kwargs())
    receive = LifespanOn(config).receive
    assert uvicorn_socket.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert (config.http_protocol_class, config.ws_protocol_class) == (LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert config.encoded_headers == []


def test_connections_of_other_classes_are_left_as_they_are():
    config = uvicorn.Config(lambda: None, factory=True, **(_get_uvicorn_config_kwargs() | {"http": "h11"}))
    receive = LifespanOn(config).receive
    websocket = config.ws_protocol_class
    assert not uvicorn_socket.limit_connections(receive, LimitedHttpProtocol, LimitedWebSocketProtocol)
    assert (config.http_protocol_class, config.ws_protocol_class) == (H11Protocol, websocket)
