"""What no browser sends over a connection, and what it may cost; for the app alone and behind a proxy.

Measured on two busy cores, memory that the server grew by and the slowest answer to somebody else, before these limits
and with them: 100 MB of pings without reading 98 MB, 5 s and more (nobody was answered) -> 0 MB, 0.03 s; 3,000,000
empty fragments 30 MB, 5 s and more -> 0 MB, 0.01 s; one header of 60 MB 125 MB, 5 s and more -> 1 MB, 0.01 s; an
address of 60 MB 126 MB, 5 s and more -> 0 MB, 0.01 s.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from tests.raw_sockets import BINARY, CONTINUATION, PING, PONG, frame

MEGABYTES = 25.0  # that an attack may take, and the seconds that somebody else may wait meanwhile, on a busy machine
SECONDS = 2.0


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
