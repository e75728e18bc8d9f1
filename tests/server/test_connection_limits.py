"""A server in a process of its own keeps its memory and answers others while one client sends what no browser sends.

Measured on two busy cores, memory that the server grew by and the slowest answer to somebody else, before these limits
and with them: 100 MB of pings without reading 98 MB, 5 s and more (nobody was answered) -> 0 MB, 0.03 s; 3,000,000
empty fragments 30 MB, 5 s and more -> 0 MB, 0.01 s; one header of 60 MB 125 MB, 5 s and more -> 1 MB, 0.01 s; an
address of 60 MB 126 MB, 5 s and more -> 0 MB, 0.01 s.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from websockets.asyncio.client import connect as connect_asyncio

from server.limits import HttpLimits, SocketLimits
from tests.coroutines import run_in_thread
from tests.deploy.visitor import request
from tests.raw_sockets import (
    BINARY,
    CONTINUATION,
    PING,
    PONG,
    close_code,
    connect,
    frame,
    head,
    highest_memory,
    open_websocket,
    read_rest,
    rerun,
    send_until_closed,
    slowest_answer,
    status,
)
from tests.server.small_app import SmallServer
from tests.views.url_state.longest_address import longest_query

MEGABYTES = 25.0  # that an attack may take, and the seconds that somebody else may wait meanwhile, on a busy machine
SECONDS = 2.0
HTTP, SOCKETS = HttpLimits(), SocketLimits()


@pytest.fixture(scope="module")
def server() -> Iterator[SmallServer]:
    with SmallServer() as server:
        yield server
        log = server.log()
    assert "Traceback" not in log and "atlas" not in log, log


@pytest.fixture(scope="module")
def quick() -> Iterator[SmallServer]:
    """The same with times of a second or two."""
    with SmallServer("quick") as server:
        yield server
        log = server.log()
    assert "Traceback" not in log, log


def part(first: bytes = b"", repeated: bytes = b"") -> tuple[bytes, bytes]:
    """What a client sends once, and then again and again."""
    return first, repeated * max(1, 10_000 // len(repeated))


FLOODS = {
    "pings": part(repeated=frame(PING, bytes(125))),
    "empty pings": part(repeated=frame(PING)),
    "pongs nobody asked for": part(repeated=frame(PONG, b"a")),
    "empty fragments": part(frame(BINARY, final=False), frame(CONTINUATION, final=False)),
    "fragments of a byte": part(frame(BINARY, b"a", final=False), frame(CONTINUATION, b"a", final=False)),
    "pings between fragments": part(
        frame(BINARY, final=False), frame(CONTINUATION, final=False) + frame(PING, bytes(20))
    ),
    "empty messages": part(repeated=frame(BINARY)),
    "messages in two fragments": part(repeated=frame(BINARY, b"", final=False) + frame(CONTINUATION)),
}


@pytest.mark.parametrize("reads", [False, True], ids=["reads nothing", "reads"])
@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_frames_is_ended_and_costs_nobody_else(server: SmallServer, flood: str, reads: bool):
    first, repeated = FLOODS[flood]
    with (
        open_websocket(server.url, receive_buffer=0 if reads else 4096) as client,
        highest_memory(server.resident_megabytes) as memory,
        slowest_answer(server.url) as slowest,
    ):
        before = memory[0]
        client.sendall(first)
        sent = send_until_closed(client, repeated, 2000)  # 20 MB
        assert sent < 2000
    assert memory[0] - before < MEGABYTES
    assert slowest[0] < SECONDS


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (frame(PING) * (SOCKETS.control_frames + 5), 1008),
        (frame(PONG, b"abcd") * (SOCKETS.control_frames + 5), 1008),
        (frame(BINARY, final=False) + frame(CONTINUATION, final=False) * SOCKETS.fragments, 1008),
        (frame(BINARY) * (SOCKETS.messages_at_once + 1), 1008),
        (frame(PING, bytes(126)), 1002),
        (frame(PING, final=False), 1002),
        (frame(CONTINUATION), 1002),
        (frame(0x3), 1002),
    ],
)  # fmt: skip
def test_the_close_frame_gives_the_reason(server: SmallServer, content: bytes, code: int):
    with open_websocket(server.url) as client:
        client.sendall(content)
        assert close_code(read_rest(client)) == code


def test_what_a_browser_sends_passes(server: SmallServer):
    with open_websocket(server.url) as client:
        pieces = [b""] * (SOCKETS.fragments - 1)  # an empty message in as many fragments as are allowed
        client.sendall(frame(BINARY, final=False) + b"".join(frame(CONTINUATION, each, False) for each in pieces[1:]))
        client.sendall(frame(CONTINUATION) + frame(PING, b"still here") + rerun("count=1"))
        received = b""
        while b"still here" not in received or received.count(b"\x82") < 1:
            received += client.recv(2**16)


# --- Heads -----------------------------------------------------------------------------------------------------------


def endless(url: str, start: bytes) -> tuple[bytes, bytes]:
    return start.replace(b"HOST", head(url)[:-2]), b"a" * 10_000


HEADS = {
    "an address": (b"GET /?text=", b"a" * 10_000, 414),
    "a path": (b"GET /", b"a/" * 5000, 414),
    "a header": (b"HOSTX-A: ", b"a" * 10_000, 431),
    "the name of a header": (b"HOST", b"a" * 10_000, 431),
    "a header over many lines": (b"HOSTCookie: a=b", b"; c=d" * 2000, 431),
    "many headers": (b"HOST", b"X-Aaaa: b\r\n" * 1000, 431),
    "many empty headers": (b"HOST", b"a:\r\n" * 2500, 431),
    "the trailer of a body": (b"HOSTTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: ", b"a" * 10_000, 0),
    "trailers of a body": (b"HOSTTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"X-A: b\r\n" * 1250, 0),
    "an extension of a chunk": (b"HOSTTransfer-Encoding: chunked\r\n\r\n1;a=", b"a" * 10_000, 0),
}


@pytest.mark.parametrize("what", HEADS)
def test_an_endless_head_is_refused_at_once_and_not_stored(server: SmallServer, what: str):
    start, repeated, expected = HEADS[what]
    with (
        connect(server.url) as client,
        highest_memory(server.resident_megabytes) as memory,
        slowest_answer(server.url) as slowest,
    ):
        before = memory[0]
        client.sendall(start.replace(b"HOST", head(server.url)[:-2]))
        sent = 0
        answer = b""
        client.settimeout(0.001)  # reads what has arrived, after each part that it sends
        while sent < 5000 and not answer:
            sent += send_until_closed(client, repeated, 1)
            try:
                answer = client.recv(2**16)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            if not answer:
                break
    assert sent < 200, "less than 2 MB"
    if expected:
        assert status(answer) == expected
    assert memory[0] - before < MEGABYTES
    assert slowest[0] < SECONDS


def test_a_head_that_arrives_at_once_is_measured_exactly(server: SmallServer):
    room = HTTP.head_bytes - len("/?") - len("hostlocalhost:00000") - 4
    assert request(server.url, "/?" + "a" * room).status != 414  # http.client adds a header: 431 at most
    assert request(server.url, "/?" + "a" * (HTTP.head_bytes + 1)).status == 414
    assert request(server.url, "/", X_A="a" * (HTTP.head_bytes - 1000)).status == 200
    assert request(server.url, "/", X_A="a" * HTTP.head_bytes).status == 431
    assert request(server.url, "/", **{f"X_{number}": "a" for number in range(HTTP.head_fields - 5)}).status == 200
    assert request(server.url, "/", **{f"X_{number}": "a" for number in range(HTTP.head_fields + 1)}).status == 431


def test_the_longest_address_of_the_app_fits_beside_cookies_of_8_kb(server: SmallServer):
    query = longest_query()
    assert 18_000 < len(query) < 2**15  # nginx allows 32 kB for the address, and 64 kB in all
    answer = request(server.url, f"/?{query}", Cookie="a=" + "b" * 8000)
    assert (answer.status, int(answer.body)) == (200, len(query))


def test_a_large_header_of_a_handshake_is_refused_and_the_connection_ends(server: SmallServer):
    for size, expected in ((1000, 101), (9000, 431), (HTTP.head_bytes, 431)):
        with_upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        with connect(server.url) as client:
            client.sendall(head(server.url, "/_stcore/stream", "GET", *with_upgrade, key, "Cookie: a=" + "b" * size))
            answer = client.recv(2**16)
            assert status(answer) == expected
            if expected != 101:
                read_rest(client, 5.0)


def test_more_requests_than_a_browser_sends_at_once_end_the_connection(server: SmallServer):
    with connect(server.url) as client, highest_memory(server.resident_megabytes) as memory:
        before = memory[0]
        send_until_closed(client, head(server.url) * 4000, 20)
        read_rest(client, 5.0)
    assert memory[0] - before < MEGABYTES
    with connect(server.url) as client:
        client.sendall(head(server.url) * HTTP.pipelined)
        received = b""
        while received.count(b"HTTP/1.1 200") < HTTP.pipelined:
            received += client.recv(2**16)


def test_no_response_names_the_server(server: SmallServer):
    for answer in (request(server.url), request(server.url, "/nothing"), request(server.url, "/?" + "a" * 70_000)):
        assert "server" not in answer.headers and b"uvicorn" not in answer.body


# --- Times -----------------------------------------------------------------------------------------------------------


def seconds_until_closed(client: socket.socket, send: Callable[[socket.socket], None] = lambda client: None) -> float:
    """Seconds until the server closes a connection on which `send` is called five times a second."""
    begun = time.monotonic()
    client.settimeout(0.2)
    while time.monotonic() - begun < 20:
        try:
            send(client)
            if not client.recv(2**16):
                break
        except TimeoutError:
            continue
        except ConnectionError:
            break
    return time.monotonic() - begun


def test_a_connection_without_a_request_is_closed(quick: SmallServer):
    with connect(quick.url) as client:
        assert 0.8 < seconds_until_closed(client) < 4


def test_a_head_that_arrives_slowly_is_answered_with_408(quick: SmallServer):
    with connect(quick.url) as client:
        client.sendall(head(quick.url)[:-2])
        begun = time.monotonic()
        answer = b""
        client.settimeout(0.2)
        while not answer and time.monotonic() - begun < 10:
            client.sendall(b"a: b\r\n")
            try:
                answer = client.recv(2**16)
            except TimeoutError:
                continue
        assert status(answer) == 408 and 0.8 < time.monotonic() - begun < 4


def test_a_second_request_has_the_same_time_for_its_head(quick: SmallServer):
    with connect(quick.url) as client:
        client.sendall(head(quick.url))
        assert status(client.recv(2**16)) == 200
        client.sendall(b"G")
        assert seconds_until_closed(client) < 5


def upload(url: str) -> bytes:
    return head(url, "/_stcore/upload_file/a/b", "PUT", "Content-Length: 8000000")


@pytest.mark.nightly
def test_a_body_that_pauses_or_takes_too_long_is_given_up_and_one_that_arrives_is_not(quick: SmallServer):
    with connect(quick.url) as client:
        client.sendall(upload(quick.url) + bytes(1000))
        assert 0.8 < seconds_until_closed(client) < 4
    with connect(quick.url) as client:
        client.sendall(upload(quick.url))
        assert 3 < seconds_until_closed(client, lambda client: client.sendall(bytes(10))) < 8
    with connect(quick.url) as client:
        client.sendall(upload(quick.url))
        for _ in range(8):
            client.sendall(bytes(1_000_000))
            time.sleep(0.3)
        assert client.recv(2**16).endswith(b"8000000")


@pytest.mark.nightly
def test_an_answer_that_is_not_read_is_given_up_and_one_that_is_read_slowly_is_not(quick: SmallServer):
    with connect(quick.url, receive_buffer=4096) as client:
        client.sendall(head(quick.url, "/stored"))
        time.sleep(4)
        assert len(read_rest(client)) < 19_000_000
    with connect(quick.url, receive_buffer=100_000) as client:
        client.sendall(head(quick.url, "/stored", "GET", "Connection: close"))
        received = 0
        for _ in range(5):  # two seconds, more than a pause may take
            received += len(client.recv(1_000_000))
            time.sleep(0.5)
        assert received + len(read_rest(client)) > 20_000_000


def test_a_socket_that_answers_pings_is_never_cut(quick: SmallServer):
    async def stay() -> None:
        address = quick.url.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect_asyncio(address, compression=None) as client:
            await asyncio.sleep(6)  # longer than each of the times
            await client.send(rerun("count=2")[6:])
            for _ in range(2):
                await asyncio.wait_for(client.recv(), 10)

    run_in_thread(stay())


def test_a_socket_that_answers_no_ping_is_cut(quick: SmallServer):
    with open_websocket(quick.url) as client:
        assert seconds_until_closed(client) < 8


# --- Slow readers ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_clients_that_read_nothing_take_bounded_memory_and_are_cut(quick: SmallServer):
    """60 sockets request 10 pages of 5 MB each: the server grew by 1,097 MB before, and by 237 MB with the limits."""
    clients = [open_websocket(quick.url, receive_buffer=4096) for _ in range(60)]
    with highest_memory(quick.resident_megabytes) as memory, slowest_answer(quick.url) as slowest:
        before = memory[0]
        for client in clients:
            send_until_closed(client, rerun("count=50&size=100000"), 10)
        time.sleep(8)
        assert [send_until_closed(client, rerun("count=1"), 3) < 3 for client in clients] == [True] * len(clients)
    for client in clients:
        client.close()
    assert memory[0] - before < SOCKETS.unsent_total / 1e6 + 2 * MEGABYTES
    assert slowest[0] < SECONDS


def test_one_socket_has_a_limit_of_its_own(server: SmallServer):
    with open_websocket(server.url, receive_buffer=4096) as client:
        with highest_memory(server.resident_megabytes) as memory:
            before = memory[0]
            client.sendall(rerun("count=400&size=1000000"))
            read = len(read_rest(client)) if not time.sleep(2) else 0
        assert read < 40e6
        assert memory[0] - before < SOCKETS.unsent_bytes / 1e6 + 2 * MEGABYTES


def test_a_slow_reader_gets_all_in_order(server: SmallServer):
    with open_websocket(server.url, receive_buffer=4096) as client:
        for _ in range(5):
            client.sendall(rerun("count=10&size=50000"))
        received = 0
        client.settimeout(10)
        while received < 2_500_000:
            received += len(client.recv(2**16))
            time.sleep(0.005)


# --- The log ---------------------------------------------------------------------------------------------------------


def test_refused_handshakes_and_requests_write_a_bounded_number_of_lines():
    """Of 300 of each kind 600 lines before, 2 now; and one more a minute with the number of a kind."""
    with SmallServer() as server:
        lines = server.log().count("\n")
        for _ in range(100):
            for more in (("Origin: http://elsewhere.example",), ("Sec-WebSocket-Version: 7",)):
                with pytest.raises(ConnectionRefusedError):
                    open_websocket(server.url, *more)
            with connect(server.url) as client:
                client.sendall(b"nonsense\r\n\r\n")
                assert status(client.recv(2**16)) == 400
            with connect(server.url) as client:
                client.sendall(head(server.url, "/", "GET", "Connection: Upgrade", "Upgrade: h2c"))
                client.recv(2**16)
            open_websocket(server.url).close()
        log = server.log()
    assert log.count("\n") - lines < 40, log
    assert all(json.loads(line) for line in log.splitlines() if line.startswith("{"))
