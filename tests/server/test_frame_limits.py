"""Frames that no browser sends end their socket, and cost nobody else memory or time."""

from __future__ import annotations

import pytest

from server.limits import SocketLimits
from tests.raw_sockets import (
    BINARY,
    CONTINUATION,
    PING,
    PONG,
    close_code,
    frame,
    highest_memory,
    open_websocket,
    read_rest,
    rerun,
    send_until_closed,
    slowest_answer,
)
from tests.server.connection_attacks import FLOODS, MEGABYTES, SECONDS
from tests.server.small_app import SmallServer

SOCKETS = SocketLimits()


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
