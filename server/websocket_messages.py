"""The messages of a socket: only those that a reader's browser has a reason to send, and no faster than a reader acts.

Streamlit's protocol has messages for developers as well. One of them empties the caches of the whole server, one
installs files, one reads the state of a Git repository: whoever has a socket could send them.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableSequence

from google.protobuf.message import DecodeError
from google.protobuf.message import Message as ProtocolMessage
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import uvicorn_socket
from server.http_errors import POLICY
from server.limits import SocketLimits
from server.run_order import PATIENCE, Runs
from server.streamlit_internals import BackMsg

WANTED = frozenset({"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"})
OPERATIONS = frozenset({"deferred_file", "dataframe_chunk"})  # a download that is made when asked for; rows of a table

MALFORMED, NO_TEXT, TOO_BIG = 1002, 1003, 1009  # codes for closing a WebSocket


class ReadersMessages:
    """Let through what a reader's browser sends; drop other messages, delay a flood, and close the socket of misuse.

    Args:
        patience: the longest that a message waits for the run before it, in seconds; see `Runs`.
    """

    def __init__(self, app: ASGIApp, limits: SocketLimits | None = None, patience: float = PATIENCE) -> None:
        self._app, self._patience = app, patience
        self._limits = limits or SocketLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        uvicorn_socket.limit_message(receive, self._limits.message_bytes)
        socket = _Socket(receive, send, self._limits, patience=self._patience)
        await self._app(scope, socket.receive, socket.send)


class Allowance:
    """How many messages may come now: some at once, and then so many a second.

    Args:
        clock: seconds.

    Attributes:
        late: messages that had to wait since the allowance was last whole.
    """

    def __init__(self, at_once: int, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.late = 0
        self._at_once, self._a_second, self._clock = at_once, a_second, clock
        self._left, self._looked = float(at_once), clock()

    def take(self) -> float:
        """Take one; the seconds to wait before it counts."""
        now = self._clock()
        self._left = min(self._at_once, self._left + (now - self._looked) * self._a_second)
        self._looked = now
        if self._left == self._at_once:
            self.late = 0
        self._left -= 1
        self.late += self._left < 0
        return max(0.0, -self._left / self._a_second)


class _Socket:
    """One socket between the server and the app."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        limits: SocketLimits,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
        patience: float = PATIENCE,
    ) -> None:
        self._receive, self._send, self._limits, self._wait = receive, send, limits, wait
        self._allowance = Allowance(limits.at_once, limits.a_second, clock)
        self._operations = Allowance(limits.operations, limits.operations_a_second, clock)
        self._runs = Runs(patience)
        self._closed = False

    async def receive(self) -> Message:
        """The next message that the app is to see."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes")
            if content is None:
                return await self._close(NO_TEXT, "Only binary messages are understood.")
            if len(content) > self._limits.message_bytes:
                return await self._close(TOO_BIG, "The message is too large.")
            pause = self._allowance.take()
            if self._allowance.late > self._limits.patience:
                return await self._close(POLICY, "Too many messages.")
            if pause:
                await self._wait(pause)
            try:
                parsed = BackMsg.FromString(content)
            except DecodeError:
                return await self._close(MALFORMED, "The message cannot be read.")
            if self._is_wanted(parsed):
                changed = await self._runs.admit(parsed)
                return {**message, "bytes": parsed.SerializeToString()} if changed else message

    async def send(self, message: Message) -> None:
        """Pass on what the app sends; once the socket is closed there is nobody to send it to."""
        if self._closed:
            raise OSError("The socket is closed.")  # as servers say of a browser that has left
        await self._send(message)
        self._runs.told(message.get("bytes"))

    def _is_wanted(self, message: BackMsg) -> bool:
        """Whether a reader's browser has a reason to send it."""
        kind = message.WhichOneof("type")
        if kind not in WANTED or listed(message, self._limits.items) > self._limits.items:
            return False
        if kind == "file_urls_request":
            return len(message.file_urls_request.file_names) <= self._limits.files
        if kind == "backend_operation_request":
            operation = message.backend_operation_request.WhichOneof("payload")
            return operation in OPERATIONS and not self._operations.take()
        return True

    async def _close(self, code: int, reason: str) -> Message:
        """Close the socket; what the app is to see then."""
        self._closed = True
        await self._send({"type": "websocket.close", "code": code, "reason": reason})
        return {"type": "websocket.disconnect", "code": code, "reason": reason}


def listed(message: ProtocolMessage, enough: int) -> int:
    """How many items a message lists, in all that it holds; a number above `enough` is not counted to the end."""
    found = 0
    for field, value in message.ListFields():
        lists = isinstance(value, MutableSequence)
        found += len(value) if lists else 0
        if found > enough:
            return found
        if field.message_type is not None:
            found += sum(listed(item, enough - found) for item in (value if lists else [value]))
    return found
