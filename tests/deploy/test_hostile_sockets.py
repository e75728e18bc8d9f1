"""Behind nginx too, no client takes the memory or the time of others: a small server stands for the replica."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.proxy import Proxy
from tests.deploy.visitor import request
from tests.raw_sockets import (
    connect,
    head,
    highest_memory,
    open_websocket,
    rerun,
    send_until_closed,
    slowest_answer,
    status,
)
from tests.server.connection_attacks import FLOODS, HEADS, MEGABYTES, SECONDS, seconds_until_closed
from tests.server.small_app import SmallServer
from tests.views.url_state.longest_address import longest_query

pytestmark = pytest.mark.deploy

CLOSED_WITHIN = 10.0  # seconds after the last frame of a flood


@pytest.fixture(scope="module")
def replica() -> Iterator[SmallServer]:
    with SmallServer() as server:
        yield server
        log = server.log()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def proxy(replica: SmallServer, tmp_path_factory) -> Iterator[Proxy]:
    folder: Path = tmp_path_factory.mktemp("proxy")
    with Proxy(folder, REPLICAS=f"127.0.0.1:{replica.address[1]}") as proxy:
        yield proxy


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_frames_is_ended(replica: SmallServer, proxy: Proxy, flood: str):
    first, repeated = FLOODS[flood]
    with (
        open_websocket(proxy.url, receive_buffer=4096) as client,
        highest_memory(replica.resident_megabytes) as memory,
        slowest_answer(proxy.url) as slowest,
    ):
        before = memory[0]
        client.sendall(first)
        if send_until_closed(client, repeated, 2000) == 2000:  # all is in the buffers of a busy machine
            assert seconds_until_closed(client) < CLOSED_WITHIN
    assert memory[0] - before < MEGABYTES
    assert slowest[0] < SECONDS


@pytest.mark.parametrize("what", ["an address", "a header", "many headers"])
def test_an_endless_head_is_refused(proxy: Proxy, what: str):
    start, repeated, expected = HEADS[what]
    with connect(proxy.url) as client:
        client.sendall(start.replace(b"HOST", head(proxy.url)[:-2]))
        send_until_closed(client, repeated, 30)
        assert status(client.recv(2**16)) == expected


def test_the_longest_address_passes(proxy: Proxy):
    query = longest_query()
    answer = request(proxy.url, f"/?{query}")
    assert (answer.status, int(answer.body)) == (200, len(query))


def test_a_slow_head_and_an_idle_connection_are_closed(proxy: Proxy):
    with connect(proxy.url) as client:
        client.sendall(head(proxy.url)[:-2])
        assert seconds_until_closed(client, lambda client: client.sendall(b"a: b\r\n")) < 15
    with connect(proxy.url) as client:
        assert seconds_until_closed(client) < 15


def test_clients_that_read_nothing_take_bounded_memory(replica: SmallServer, proxy: Proxy):
    clients = [open_websocket(proxy.url, receive_buffer=4096) for _ in range(30)]
    with highest_memory(replica.resident_megabytes) as memory, slowest_answer(proxy.url) as slowest:
        before = memory[0]
        for client in clients:
            send_until_closed(client, rerun("count=50&size=100000"), 10)
        time.sleep(5)
    for client in clients:
        client.close()
    assert memory[0] - before < 200 + 2 * MEGABYTES
    assert slowest[0] < SECONDS


def test_a_handshake_with_large_headers_is_refused(proxy: Proxy):
    with pytest.raises(ConnectionRefusedError, match="431"):
        open_websocket(proxy.url, "Cookie: a=" + "b" * 40_000)
    with connect(proxy.url) as client:
        client.sendall(head(proxy.url, "/"))
        assert status(client.recv(2**16)) == 200
