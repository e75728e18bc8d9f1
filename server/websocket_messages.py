"""Filter and rate-limit the messages that browsers send.

Streamlit's protocol has messages for developers as well. One of them clears the caches of the whole server, one
installs files, one reads the state of a Git repository: any client with a socket could send them.
"""

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableSequence
from contextlib import suppress
from pathlib import Path

from google.protobuf.message import DecodeError
from google.protobuf.message import Message as ProtocolMessage
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import connections, streamlit_internals
from server.connections import TOO_MANY_MESSAGES, RateLimit
from server.http_errors import POLICY, Refusal, close_reason, note_page_query
from server.limits import SocketLimits
from server.run_order import PATIENCE, RunOrder
from server.streamlit_internals import BackMsg, ForwardMsg

# Bound what is stored for browsers that read slowly or not at all.
#
# Streamlit queues up to 500 messages for each socket, of any size: some sockets that request pages and read nothing
# would take all memory. Here the bytes are counted, of each socket and of all together.

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
        connections.abort(self._receive)

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
                await connections.until_writable(self._receive)
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


ALLOWED_KINDS = frozenset(
    {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
)
ALLOWED_OPERATIONS = frozenset({"deferred_file", "dataframe_chunk"})  # make a download; load rows of a table

MALFORMED, NO_TEXT, TOO_BIG = 1002, 1003, 1009  # codes for closing a WebSocket
ONLY_BINARY = Refusal("Only binary messages are understood.")
TOO_LARGE = Refusal("The message is too large.")
UNREADABLE = Refusal("The message cannot be read.")


class MessageFilter:
    """Pass on what a user's browser sends; drop other messages, delay floods, and close the socket on misuse.

    Args:
        patience: the longest that a message waits for the run before it, in seconds; see `RunOrder`.
    """

    def __init__(self, app: ASGIApp, limits: SocketLimits | None = None, patience: float = PATIENCE) -> None:
        self._app, self._patience = app, patience
        self._limits = limits or SocketLimits()
        self._unsent = UnsentBytes(self._limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        connections.limit_message(receive, self._limits.message_bytes)
        buffer = SendBuffer(receive, send, self._limits, self._unsent)
        socket = _Socket(scope, receive, buffer, self._limits, patience=self._patience)
        try:
            await self._app(scope, socket.receive, socket.send)
        finally:
            buffer.close()


class _Socket:
    """The filter of one socket."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        buffer: SendBuffer,
        limits: SocketLimits,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
        patience: float = PATIENCE,
    ) -> None:
        self._scope, self._receive, self._buffer, self._limits, self._wait = scope, receive, buffer, limits, wait
        self._rate = RateLimit(limits.burst, limits.per_second, clock)
        self._operation_rate = RateLimit(limits.operations, limits.operations_per_second, clock)
        self._run_order = RunOrder(patience)

    async def receive(self) -> Message:
        """The next message that the app may receive."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes")
            if content is None:
                return await self._close(NO_TEXT, ONLY_BINARY)
            if len(content) > self._limits.message_bytes:
                return await self._close(TOO_BIG, TOO_LARGE)
            pause = self._rate.take()
            if self._rate.delayed > self._limits.patience:
                return await self._close(POLICY, TOO_MANY_MESSAGES)
            if pause:
                await self._wait(pause)
            try:
                parsed = BackMsg.FromString(content)
            except DecodeError:
                return await self._close(MALFORMED, UNREADABLE)
            if parsed.HasField("rerun_script"):
                note_page_query(self._scope, parsed.rerun_script.query_string)
            if self._is_allowed(parsed) and not self._run_order.is_late(parsed):
                await self._buffer.until_read()  # a browser that reads nothing causes no further run
                changed = await self._run_order.admit(parsed)
                return {**message, "bytes": parsed.SerializeToString()} if changed else message

    async def send(self, message: Message) -> None:
        """Pass on what the app sends; a message waits in the buffer while the browser reads those before.

        Raises:
            OSError: the socket is closed; servers report a disconnected browser this way.
        """
        await self._buffer.send(message)
        self._run_order.observe(message.get("bytes"))

    def _is_allowed(self, message: BackMsg) -> bool:
        """Whether a user's browser has a reason to send it."""
        kind = message.WhichOneof("type")
        if kind not in ALLOWED_KINDS or count_items(message, self._limits.items) > self._limits.items:
            return False
        if kind == "file_urls_request":
            return len(message.file_urls_request.file_names) <= self._limits.files
        if kind == "backend_operation_request":
            operation = message.backend_operation_request.WhichOneof("payload")
            return operation in ALLOWED_OPERATIONS and not self._operation_rate.take()
        return True

    async def _close(self, code: int, refusal: Refusal) -> Message:
        """Close the socket; the message that the app receives then."""
        reason = close_reason(self._scope, refusal)
        await self._buffer.end({"type": "websocket.close", "code": code, "reason": reason})
        return {"type": "websocket.disconnect", "code": code, "reason": reason}


def count_items(message: ProtocolMessage, enough: int) -> int:
    """The number of items in all lists of a message, nested ones included; counting stops above `enough`."""
    count = 0
    for field, value in message.ListFields():
        lists = isinstance(value, MutableSequence)
        count += len(value) if lists else 0
        if count > enough:
            return count
        if field.message_type is not None:
            count += sum(count_items(item, enough - count) for item in (value if lists else [value]))
    return count


# Remove what describes this installation from messages to browsers.
#
# At the start of every run Streamlit sends the script's absolute path, which the browser only needs to be the same each
# time, the versions of Streamlit and Python, the operating system and ids of the installation. Of those a browser needs
# one: a page that is open loads itself anew when the server comes back with another version.


class InstallationRedaction:
    """Replace the script's path by its file name, the version by that of the release, and blank the rest.

    Args:
        script: the file that Streamlit runs.
        version: of the app.
    """

    def __init__(self, app: ASGIApp, script: str, version: str) -> None:
        self._app = app
        path = Path(script).resolve()
        self._name, self._folder = path.name, str(path.parent).encode()
        self._release = release(version)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_redacted(message: Message) -> None:
            content = message.get("bytes")
            if content and self._folder in content:
                message = {**message, "bytes": self._redact(content)}
            await send(message)

        await self._app(scope, receive, send_redacted if scope["type"] == "websocket" else send)

    def _redact(self, content: bytes) -> bytes:
        try:
            message = ForwardMsg.FromString(content)
        except DecodeError:
            return content
        if message.WhichOneof("type") != "new_session":
            return content
        message.new_session.main_script_path = self._name
        start = message.new_session.initialize
        start.user_info.Clear()
        start.environment_info.Clear()
        start.environment_info.streamlit_version = self._release
        return message.SerializeToString()


def release(version: str) -> str:
    """One value for the app's version and all that browsers load of Streamlit's, the same on every replica."""
    page = (streamlit_internals.static_folder() / "index.html").read_bytes()  # it names scripts by their content
    return hashlib.sha256(b"\0".join((version.encode(), page))).hexdigest()[:16]
