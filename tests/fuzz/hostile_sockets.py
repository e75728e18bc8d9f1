"""Random clients below the level of messages: control frames, fragments, large heads, slow and idle connections.

Each must be ended by the server, or be idle without harm; what happens to others is watched by the campaign.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress

from tests.fuzz.texts import MARK
from tests.raw_sockets import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    connect,
    frame,
    head,
    open_websocket,
    rerun,
    send_until_closed,
    status,
)

OPCODES = (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG, 0x3, 0xF)
MEGABYTE = 2**20
FLOOD = 20 * MEGABYTE  # that a client sends if the server lets it
REFUSED = (400, 408, 414, 421, 431)
PATIENCE = 90.0  # seconds until which the server must have ended a connection
METHODS = ("GET", "PUT", "POST", "OPTIONS", MARK.upper())


class NotEnded(Exception):
    """The server let a client go on that it must end; the message states what it did."""


def random_attack(chances: random.Random, url: str) -> str:
    """Act as one random client; what it did.

    Raises:
        NotEnded: the server let it go on.
    """
    name = chances.choice(list(ATTACKS))
    ATTACKS[name](chances, url)
    return name


def _frames(chances: random.Random, opcodes: tuple[int, ...], largest: int) -> bytes:
    """Some random frames."""
    return b"".join(
        frame(chances.choice(opcodes), chances.randbytes(chances.randrange(largest)), chances.random() < 0.5)
        for _ in range(chances.randint(1, 30))
    )


def _flood(client, what: str, repeated: bytes) -> None:
    """Send the same again and again until the server ends it."""
    repeated *= max(1, 20_000 // len(repeated))
    count = FLOOD // len(repeated)
    if send_until_closed(client, repeated, count) == count:
        raise NotEnded(f"{what} were accepted without an end")


def _control_frames(chances: random.Random, url: str) -> None:
    with open_websocket(url, receive_buffer=chances.choice((0, 4096))) as client:
        _flood(client, "Control frames", frame(chances.choice((PING, PONG)), chances.randbytes(chances.randrange(126))))


def _fragments(chances: random.Random, url: str) -> None:
    with open_websocket(url) as client:
        client.sendall(frame(BINARY, b"", False))
        between = frame(PING) if chances.random() < 0.3 else b""
        content = bytes(chances.choice((0, 0, 1, 50)))
        _flood(client, "Fragments", frame(CONTINUATION, content, False) + between)


def _tiny_messages(chances: random.Random, url: str) -> None:
    with open_websocket(url) as client:
        _flood(client, "Tiny messages", frame(BINARY, chances.randbytes(chances.randrange(3))))


def _random_frames(chances: random.Random, url: str) -> None:
    """Frames in any order, most of them against the protocol; some are cut."""
    with open_websocket(url) as client:
        sent = _frames(chances, OPCODES, chances.choice((2, 130, 5000)))
        with suppress(OSError):
            client.sendall(sent[: chances.randint(1, len(sent))])
            client.settimeout(0.2)
            client.recv(MEGABYTE)


def _large_head(chances: random.Random, url: str) -> None:
    """An address, a header, or many headers, at once or in parts."""
    size = chances.choice((70_000, 300_000, 5 * MEGABYTE))
    fields = chances.choice((1, 30, 1000))
    lines = [f"X-{MARK}-{number}: {'a' * (size // fields)}" for number in range(fields)]
    path = f"/?text={MARK}" + "a" * (size if chances.random() < 0.3 else 0)
    content = head(url, path, chances.choice(METHODS), *lines)
    part = chances.choice((len(content), 60_000, 10_000))
    answer = b""
    with connect(url) as client, suppress(ConnectionError):
        for start in range(0, len(content), part):
            client.sendall(content[start : start + part])
        answer = client.recv(MEGABYTE)
    if answer and status(answer) not in (*REFUSED, 405):
        raise NotEnded(f"A head of {len(content)} bytes was answered with {status(answer)}")


def _ended_in_time(client, what: str, content: bytes) -> None:
    """Send a byte now and then until the server ends it."""
    until = time.monotonic() + PATIENCE
    client.settimeout(0.5)
    for place in range(10**9):
        if time.monotonic() > until:
            raise NotEnded(f"{what} could go on for {PATIENCE:.0f} s")
        try:
            client.sendall(content[place % len(content) : place % len(content) + 1])
            if not client.recv(MEGABYTE):
                return
        except TimeoutError:
            continue
        except ConnectionError:
            return


def _slow_head(chances: random.Random, url: str) -> None:
    with connect(url) as client:
        client.sendall(f"GET /?text={MARK}".encode())
        _ended_in_time(client, "A slow head", b"a")


def _idle(chances: random.Random, url: str) -> None:
    with connect(url) as client:
        if chances.random() < 0.5:
            client.sendall(head(url, "/healthz"))
        client.settimeout(PATIENCE)
        while client.recv(MEGABYTE):
            pass


def _reads_nothing(chances: random.Random, url: str) -> None:
    """Pages are requested and not read; the connection is left after a moment."""
    with open_websocket(url, receive_buffer=4096) as client:
        pages = (rerun(f"text={MARK}+{chances.randrange(1000)}") for _ in range(chances.randint(1, 20)))
        with suppress(OSError):
            client.sendall(b"".join(pages))
        time.sleep(chances.uniform(0, 5))


def _unfinished(chances: random.Random, url: str) -> None:
    """A message that is promised, and its beginning."""
    with open_websocket(url) as client:
        promised = frame(BINARY, bytes(chances.choice((100, 70_000, MEGABYTE - 100))))
        with suppress(OSError):
            client.sendall(promised[: chances.randrange(1, len(promised))])
        time.sleep(chances.uniform(0, 2))


ATTACKS: dict[str, Callable[[random.Random, str], None]] = {
    "control frames": _control_frames,
    "fragments": _fragments,
    "tiny messages": _tiny_messages,
    "random frames": _random_frames,
    "large heads": _large_head,
    "slow heads": _slow_head,
    "idle connections": _idle,
    "nothing read": _reads_nothing,
    "unfinished messages": _unfinished,
}
