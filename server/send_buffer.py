"""Bound what is stored for browsers that read slowly or not at all.

Streamlit queues up to 500 messages for each socket, of any size: some sockets that request pages and read nothing would
take all memory. Here the bytes are counted, of each socket and of all together.
"""

import asyncio
from collections import deque
from contextlib import suppress

from starlette.types import Message, Receive, Send

from server import uvicorn_socket
from server.limits import SocketLimits

CLOSED = "The socket is closed."
OVERHEAD = 500  # bytes of a stored message in addition to its content


class UnsentBytes:
    """The bytes that wait for all browsers of this server.

    Attributes:
        total: bytes of all buffers.
    """

    def __init__(self, limits: SocketLimits) -> None:
        self.total = 0
        self._limit = limits.unsent_total
        self._buffers: set[SendBuffer] = set()

    def add(self, buffer: "SendBuffer", size: int) -> None:
        """Count bytes of a buffer, and drop the largest buffers beyond the limit."""
        self.total += size
        self._buffers.add(buffer)
        while self.total > self._limit and self._buffers:
            max(self._buffers, key=lambda each: each.size).abort()

    def remove(self, buffer: "SendBuffer", size: int) -> None:
        """Forget bytes of a buffer that were read or dropped."""
        self.total -= size
        if not buffer.size:
            self._buffers.discard(buffer)


class SendBuffer:
    """The messages of the app to one browser. `send` stores them, and a task sends them as fast as the browser reads.

    Args:
        receive: of the server; to wait for the connection and to drop it.

    Attributes:
        size: bytes that wait, those of the message that is being sent included.
    """

    def __init__(self, receive: Receive, send: Send, limits: SocketLimits, unsent: UnsentBytes) -> None:
        self.size = 0
        self._receive, self._send, self._limits, self._unsent = receive, send, limits, unsent
        self._messages: deque[Message] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._read = asyncio.Event()  # set while the browser has read nearly all
        self._read.set()

    async def send(self, message: Message) -> None:
        """Store a message; everything but content, such as the handshake, is sent at once.

        Raises:
            OSError: the socket is closed; servers report a disconnected browser this way.
        """
        if self._closed:
            raise OSError(CLOSED)
        if message["type"] == "websocket.close":
            await self.flush()
            self._closed = True
        if message["type"] != "websocket.send":
            return await self._send(message)
        self._messages.append(message)
        self._count(_size(message))
        if self._closed:
            raise OSError(CLOSED)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())

    async def until_read(self) -> None:
        """Wait until the browser has read all but `unsent_hold` bytes, or the socket is closed."""
        await self._read.wait()

    async def flush(self) -> None:
        """Wait, `closing_seconds` at most, until everything is sent."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=self._limits.closing_seconds)

    async def end(self, message: Message) -> None:
        """Drop all messages and send this last one."""
        self.close()
        await self._send(message)

    def abort(self) -> None:
        """Drop all messages and the connection."""
        self.close()
        uvicorn_socket.abort(self._receive)

    def close(self) -> None:
        """Drop all messages, and send no more."""
        self._closed = True
        self._messages.clear()
        if self._task is not None:
            self._task.cancel()
        self._count(-self.size)

    async def _drain(self) -> None:
        """Send the messages in their order."""
        with suppress(OSError, RuntimeError):  # disconnected, or closed for time: the app learns it when it receives
            while self._messages:
                message = self._messages.popleft()
                await self._send(message)
                await uvicorn_socket.until_writable(self._receive)
                self._count(-_size(message))
            return
        self.close()

    def _count(self, size: int) -> None:
        self.size += size
        if self.size > self._limits.unsent_hold:
            self._read.clear()
        else:
            self._read.set()
        if size <= 0:  # also by nothing: an empty buffer that is closed must not be stored for ever
            self._unsent.remove(self, -size)
        else:
            self._unsent.add(self, size)
            if self.size > self._limits.unsent_bytes:
                self.abort()


def _size(message: Message) -> int:
    return len(message.get("bytes") or message.get("text") or b"") + OVERHEAD
