"""Clients that do not read take bounded memory and are cut; a slow one receives everything."""

from __future__ import annotations

import time

import pytest

from server.limits import SocketLimits
from tests.raw_sockets import highest_memory, open_websocket, read_rest, rerun, send_until_closed, slowest_answer
from tests.server.connection_attacks import MEGABYTES, SECONDS
from tests.server.small_app import SmallServer

SOCKETS = SocketLimits()


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
