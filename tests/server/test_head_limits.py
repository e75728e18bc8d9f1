"""Endless or many headers, addresses and requests are refused at once; the longest ones of the app fit."""

from __future__ import annotations

import pytest

from server.limits import HttpLimits
from tests.deploy.visitor import request
from tests.raw_sockets import connect, head, highest_memory, read_rest, send_until_closed, slowest_answer, status
from tests.server.connection_attacks import HEADS, MEGABYTES, SECONDS
from tests.server.small_app import SmallServer
from tests.views.url_state.longest_address import longest_query

HTTP = HttpLimits()


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
