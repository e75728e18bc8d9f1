"""Clients that send bytes as they please: heads, frames and pauses that no HTTP or WebSocket library would send."""

from __future__ import annotations

import base64
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.processes import answers_http

PATIENCE = 60.0  # seconds
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
SOCKET = "/_stcore/stream"


def connect(url: str, receive_buffer: int = 0) -> socket.socket:
    """A connection to the server at `url`. With a small buffer, what is not read waits at the server."""
    address = urlsplit(url)
    connection = socket.socket()
    connection.settimeout(PATIENCE)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect((address.hostname, address.port))
    return connection


def head(url: str, path: str = "/", method: str = "GET", *lines: str) -> bytes:
    """The head of a request."""
    return "\r\n".join((f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}", *lines, "", "")).encode()


def open_websocket(url: str, *lines: str, receive_buffer: int = 0) -> socket.socket:
    """A connection after the handshake of a WebSocket.

    Raises:
        ConnectionRefusedError: the handshake was refused; with the status.
    """
    key = base64.b64encode(os.urandom(16)).decode()
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    connection = connect(url, receive_buffer)
    connection.sendall(head(url, SOCKET, "GET", *upgrade, *lines))
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(1)
        if not part:
            break
        received += part
    if status(received) != 101:
        connection.close()
        raise ConnectionRefusedError(f"The handshake was answered with {status(received)}.")
    return connection


def frame(opcode: int, content: bytes = b"", final: bool = True) -> bytes:
    """A frame of a client, with a mask of zeros."""
    first = opcode | (0x80 if final else 0)
    if len(content) < 126:
        start = struct.pack("!BB", first, 0x80 | len(content))
    elif len(content) < 2**16:
        start = struct.pack("!BBH", first, 0xFE, len(content))
    else:
        start = struct.pack("!BBQ", first, 0xFF, len(content))
    return start + bytes(4) + content


def rerun(query: str) -> bytes:
    """A frame that requests a run of the page at an address."""
    message = BackMsg()
    message.rerun_script.query_string = query
    return frame(BINARY, message.SerializeToString())


def status(answer: bytes) -> int:
    """The status of a response; 0 if there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def read_rest(connection: socket.socket, seconds: float = PATIENCE) -> bytes:
    """All that the server sends until it closes the connection.

    Raises:
        TimeoutError: it did not close it in time.
    """
    received, until = b"", time.monotonic() + seconds
    with suppress(ConnectionError):
        while True:
            connection.settimeout(max(0.01, until - time.monotonic()))
            part = connection.recv(2**16)
            if not part:
                break
            received += part
    return received


def send_until_closed(connection: socket.socket, part: bytes, count: int) -> int:
    """Send `part` up to `count` times; how many were sent until the server closed the connection or took no more."""
    for number in range(count):
        try:
            connection.sendall(part)
        except (ConnectionError, TimeoutError):
            return number
    return count


def close_code(received: bytes) -> int:
    """The code of the close frame at the end of what a server sent; 0 without one."""
    position = 0
    while position + 2 <= len(received):
        opcode, size = received[position] & 0xF, received[position + 1] & 0x7F
        start = position + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, start = int.from_bytes(received[start : start + width]), start + width
        if opcode == CLOSE:
            return int.from_bytes(received[start : start + 2])
        position = start + size
    return 0


@contextmanager
def slowest_answer(url: str, path: str = "/healthz") -> Iterator[list[float]]:
    """Ask the server all the time; the list's one item is the seconds of the slowest answer, also of a failed one."""
    slowest, over = [0.0], threading.Event()

    def ask() -> None:
        while not over.wait(0.02):
            begun = time.monotonic()
            with suppress(OSError):
                answers_http(url + path)
            slowest[0] = max(slowest[0], time.monotonic() - begun)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield slowest
    finally:
        over.set()
        thread.join()


@contextmanager
def highest_memory(measure) -> Iterator[list[float]]:
    """Call `measure` all the time; the list's one item is the highest value."""
    highest, over = [measure()], threading.Event()

    def sample() -> None:
        while not over.wait(0.05):
            highest[0] = max(highest[0], measure())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield highest
    finally:
        over.set()
        thread.join()
