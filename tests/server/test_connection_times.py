"""Connections without a request, slow heads and bodies and unread answers are ended; open sockets never."""

from __future__ import annotations

import asyncio
import time

import pytest
from websockets.asyncio.client import connect as connect_asyncio

from tests.coroutines import run_in_thread
from tests.raw_sockets import connect, head, open_websocket, read_rest, rerun, status
from tests.server.connection_attacks import seconds_until_closed
from tests.server.small_app import SmallServer


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


@pytest.mark.nightly
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
