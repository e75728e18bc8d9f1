"""Make the server limit each connection, before any request reaches the app, and keep its name to itself.

An ASGI app receives a request when its head is complete, and a message of a WebSocket when all of its frames are
there. So these limits are in the server's connections. Streamlit creates the server, and takes no option for their
classes; the first message that an app receives, at the start, comes from an object that has the server's
configuration.
"""

import logging
import socket
import time
from asyncio import BaseTransport, Protocol, TimerHandle, Transport
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import CTRL_OPCODES, CloseCode, Frame, Opcode
from websockets.server import ServerProtocol

from server import logs
from server.http_errors import Refusal, close_reason
from server.limits import HttpLimits, SocketLimits


class ConnectionLimits:
    """Replace the classes of uvicorn's connections by those with limits, when the server starts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" and not limit_connections(
            receive, LimitedHttpProtocol, LimitedWebSocketProtocol
        ):
            logs.event("connections have no limits", logging.WARNING)
        await self._app(scope, receive, send)


# Limits of an HTTP connection: the size of a request's head, and how long each part of an exchange may take.
#
# uvicorn with httptools has none but for connections that idle after a response: a header of 200 MB was stored in
# growing pieces for 51 s, in which nobody else was answered.

TOO_LONG = {
    414: "The address is too long.",
    431: "The headers of the request are too large.",
    408: "The request did not arrive in time.",
}
# Of the operating system, for each connection; they count in a container's memory. By default they grow to 4 MB, of
# which a client must have read a third before any progress is seen here. These still allow 5 MB/s at a delay of 100 ms.
KERNEL_BYTES = 2**18
LINGER_SECONDS = 1.0  # in which a refused client may read the answer; what it sends meanwhile is not stored
LINGER_BYTES = 2**20  # that it may send meanwhile


class HeadTooLarge(Exception):
    """The request line and the headers are larger than the limit. It ends httptools' parser."""


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP connection with the limits of `HttpLimits`.

    A request line or header that is too large is answered with 414 or 431, a head that does not arrive in time with
    408. Chunk sizes and trailers of a body count as headers. After the handshake of a WebSocket none of this applies.
    """

    limits = HttpLimits()

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(cast(Transport, transport))
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        self._head_bytes = 0  # of the current message: address, headers, trailers
        self._quiet_bytes = 0  # received since the parser last reported something: a part of one header, for example
        self._head_fields = 0
        self._address_only = True  # whether no header of the current message is complete
        self._refused_bytes: int | None = None  # received after a refusal
        self._receive_timer: TimerHandle | None = None
        self._send_timer: TimerHandle | None = None
        self._body_deadline = 0.0
        self._unsent = 0
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused_bytes is not None:
            self._refused_bytes += len(data)
            if self._refused_bytes > LINGER_BYTES:
                self.transport.abort()
            return
        if self._receive_timer is None:  # the first bytes of a further request
            self._expect_head()
        self._quiet_bytes += len(data)
        super().data_received(data)
        if self._quiet_bytes > self.limits.head_bytes and self._refused_bytes is None:
            self._refuse(431)

    # --- What the parser reports --------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._head_bytes = self._head_fields = self._quiet_bytes = 0
        self._address_only = True
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._address_only = False
        self._head_fields += 1
        self._count(len(name) + len(value) + 4)  # the colon, the space and the line break
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._quiet_bytes = 0
        self._body_deadline = self.loop.time() + self.limits.body_seconds
        self._expect_body()
        super().on_headers_complete()
        if len(self.pipeline) > self.limits.pipelined:
            self._refused_bytes = 0
            self.transport.abort()

    def on_body(self, body: bytes) -> None:
        self._quiet_bytes = 0
        self._expect_body()
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._quiet_bytes = 0
        self._cancel_receive_timer()
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._quiet_bytes = 0
        self._head_bytes += size
        if self._head_bytes > self.limits.head_bytes or self._head_fields > self.limits.head_fields:
            raise HeadTooLarge

    # --- Refusals -----------------------------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed; uvicorn calls this."""
        large = self._head_bytes > self.limits.head_bytes or self._head_fields > self.limits.head_fields
        if large:
            self._refuse(414 if self._address_only else 431)
        elif self._refused_bytes is None:
            self._cancel_timers()
            super().send_400_response(msg)

    def _refuse(self, status: int) -> None:
        """Answer with `status`, and close once the client had a moment to read it."""
        self._cancel_timers()
        self._unset_keepalive_if_required()
        self._refused_bytes = 0
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()  # the answer would be written into the one of an earlier request
            return
        text = TOO_LONG[status].encode() + b"\n"
        head = (STATUS_LINE[status], b"content-type: text/plain; charset=utf-8\r\n", b"cache-control: no-store\r\n")
        tail = (b"content-length: %d\r\n" % len(text), b"connection: close\r\n\r\n", text)
        self.transport.write(b"".join((*head, *tail)))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    # --- Times --------------------------------------------------------------------------------------------------------

    def _expect_head(self) -> None:
        """Allow `head_seconds` until the head of a request has arrived."""
        self._start_receive_timer(self.limits.head_seconds, self._head_timed_out)

    def _expect_body(self) -> None:
        """Allow `pause_seconds` until the next part of the body, and `body_seconds` for all of it."""
        left = max(0.0, self._body_deadline - self.loop.time())
        self._start_receive_timer(min(self.limits.pause_seconds, left), self._body_timed_out)

    def _start_receive_timer(self, seconds: float, act: Callable[[], None]) -> None:
        self._cancel_receive_timer()
        self._receive_timer = self.loop.call_later(seconds, act)

    def _head_timed_out(self) -> None:
        self._receive_timer = None
        if self.cycle is not None and not self.cycle.response_complete:
            return self.transport.abort()
        if self._head_bytes or self._quiet_bytes:
            self._refuse(408)
        else:  # nothing was sent: browsers open connections in advance
            self.transport.close()

    def _body_timed_out(self) -> None:
        self._receive_timer = None
        if self.flow.read_paused and self.loop.time() < self._body_deadline:
            self._expect_body()  # the app has not read what arrived
        else:
            self.transport.abort()

    def handle_websocket_upgrade(self) -> None:
        self._cancel_timers()
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self._send_timer = self.loop.call_later(self.limits.pause_seconds, self._check_reader)

    def resume_writing(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def _check_reader(self) -> None:
        """Abort if the client has read nothing of the answer since the last check."""
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent:
            return self.transport.abort()
        self._unsent = unsent
        self._send_timer = self.loop.call_later(self.limits.pause_seconds, self._check_reader)

    def _cancel_receive_timer(self) -> None:
        if self._receive_timer is not None:
            self._receive_timer.cancel()
            self._receive_timer = None

    def _cancel_timers(self) -> None:
        self._cancel_receive_timer()
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None


# Limits of an open WebSocket below the level of messages: control frames, fragments, and clients that do not read.
#
# uvicorn answers each ping without a limit, stores every frame of an unfinished message, and waits for ever until a
# client that was disconnected has read what was sent to it before.

MIN_PROGRESS = 1000  # bytes; less than that in `stalled_seconds` counts as nothing

TOO_MANY_CONTROL_FRAMES = Refusal("Too many control frames.")
TOO_MANY_FRAGMENTS = Refusal("Too many fragments.")
TOO_MANY_MESSAGES = Refusal("Too many messages.")


class LimitedFrames(ServerProtocol):
    """The server's side of a WebSocket, which is closed for too many frames that carry no message.

    Args:
        translate: a refusal -> the reason in the close frame.
        options: of `ServerProtocol`.
    """

    def __init__(self, limits: SocketLimits, translate: Callable[[Refusal], str], **options: Any) -> None:
        super().__init__(**options)
        self._limits, self._translate = limits, translate
        self._control_rate = RateLimit(limits.control_frames, limits.control_per_second)
        self._fragments = 0  # of the current message
        self._messages = 0  # in the current read

    def receive_data(self, data: bytes | bytearray) -> None:
        self._messages = 0
        super().receive_data(data)

    def recv_frame(self, frame: Frame) -> None:
        refusal = self._excess(frame)
        if refusal is None:
            return super().recv_frame(frame)
        reason = self._translate(refusal)
        self.fail(CloseCode.POLICY_VIOLATION, reason)  # and discard what has arrived behind it
        self.parser_exc = ProtocolError(reason)

    def _excess(self, frame: Frame) -> Refusal | None:
        """Why the socket must be closed on this frame; None if it need not."""
        if frame.opcode in CTRL_OPCODES:
            return TOO_MANY_CONTROL_FRAMES if self._control_rate.take() else None
        self._fragments = self._fragments + 1 if frame.opcode is Opcode.CONT else 1
        self._messages += frame.fin
        if self._fragments > self._limits.fragments:
            return TOO_MANY_FRAGMENTS
        return TOO_MANY_MESSAGES if self._messages > self._limits.messages_at_once else None


class LimitedWebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket with the limits of `SocketLimits` for frames, and for clients that do not read.

    A client that reads, however slowly, and answers pings is never disconnected for time.
    """

    limits = SocketLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = LimitedFrames(
            self.limits,
            lambda refusal: close_reason(dict(self.scope), refusal),  # frames come after the handshake, which sets it
            extensions=self.conn.available_extensions,
            max_size=self.conn.max_message_size,
            logger=self.conn.logger,
        )
        self._check_timer: TimerHandle | None = None
        self._unsent = 0  # bytes that waited for the client when it last read some of them
        self._progress_at = self._closing_at = 0.0
        self._unsent_at_ping = 0

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self._progress_at = self.loop.time()
        self._check_timer = self.loop.call_later(self.limits.closing_seconds / 2, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._check_timer is not None:
            self._check_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_complete:
            # uvicorn drops websockets' own refusal of a handshake, and the connection stays open for ever
            self.handshake_complete = self.close_sent = True
            if not self.conn.eof_sent:
                self.conn.send_response(self.conn.reject(HTTPStatus.BAD_REQUEST, "The handshake cannot be read.\n"))
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._record_progress()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._record_progress()

    def send_keepalive_ping(self) -> None:
        self._unsent_at_ping = self.transport.get_write_buffer_size()
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent < self._unsent_at_ping and self.ping_timeout is not None:
            # The ping is behind what the client is still reading.
            self._unsent_at_ping = unsent
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
        else:
            super().keepalive_timeout()

    def _record_progress(self) -> None:
        self._unsent, self._progress_at = self.transport.get_write_buffer_size(), self.loop.time()

    def _check(self) -> None:
        """Drop the connection if its client reads nothing of what waits, or not the end of what was closed."""
        now = self.loop.time()
        if self.transport.is_closing() and not self._closing_at:
            self._closing_at = now
        if self.writable.is_set() or self.transport.get_write_buffer_size() < self._unsent - MIN_PROGRESS:
            self._record_progress()
        stalled = now - self._progress_at > self.limits.stalled_seconds
        closed = self._closing_at and now - self._closing_at >= self.limits.closing_seconds
        if stalled or closed:
            return self.transport.abort()
        self._check_timer = self.loop.call_later(self.limits.closing_seconds / 2, self._check)


# Read a socket's peer address from uvicorn, and set limits of its connections.
#
# ASGI provides neither. `receive` is a method of uvicorn's protocol object, or of the one that starts the app, which
# has the configuration; under another server there is none, and callers have a fallback.

SERVER_NAME = (b"server", b"uvicorn")  # the header that uvicorn adds to every response


def peer(receive: Receive) -> str | None:
    """The address of the other end, regardless of headers: uvicorn trusts those of proxies on the same machine."""
    client = getattr(getattr(receive, "__self__", None), "client", None)
    return client[0] if client else None


def limit_message(receive: Receive, size: int) -> None:
    """Refuse messages of more than `size` bytes by the length in their frame's header, before they have arrived.

    To be called before anything is received. Under another server the caller must check the size of each message.
    uvicorn's own limit is `server.maxMessageSize`, which also applies to what Streamlit sends and must be large.
    """
    connection: Any = getattr(getattr(receive, "__self__", None), "conn", None)
    if hasattr(connection, "max_message_size"):
        connection.max_message_size = size


async def until_writable(receive: Receive) -> None:
    """Wait until the other end has read nearly everything that was sent; return at once under another server."""
    writable: Any = getattr(getattr(receive, "__self__", None), "writable", None)
    if writable is not None:
        await writable.wait()


def abort(receive: Receive) -> None:
    """Drop the connection without sending what the other end has not read; do nothing under another server."""
    transport: Any = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()


def limit_connections(receive: Receive, http: type[Protocol], websocket: type[Protocol]) -> bool:
    """Use these classes for all connections, and send no header that names the server; whether it can be done.

    To be called with the `receive` of the lifespan, before the server accepts connections. The classes must extend
    those that are configured: other ones are left as they are.
    """
    config: Any = getattr(getattr(receive, "__self__", None), "config", None)
    configured = [getattr(config, name, None) for name in ("http_protocol_class", "ws_protocol_class")]
    if not all(
        isinstance(base, type) and issubclass(limited, base)
        for base, limited in zip(configured, (http, websocket), strict=True)
    ):
        return False
    config.http_protocol_class, config.ws_protocol_class = http, websocket
    config.encoded_headers = [header for header in config.encoded_headers if header != SERVER_NAME]
    return True


# A limit of how often something may happen: a burst at once, and then so many per second.


class RateLimit:
    """A token bucket: a burst of messages at once, and then so many per second.

    Args:
        clock: seconds.

    Attributes:
        delayed: messages that had to wait since the bucket was last full.
    """

    def __init__(self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.delayed = 0
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._left, self._updated = float(burst), clock()

    def take(self) -> float:
        """Count a message; the seconds that it must wait."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._updated) * self._per_second)
        self._updated = now
        if self._left == self._burst:
            self.delayed = 0
        self._left -= 1
        self.delayed += self._left < 0
        return max(0.0, -self._left / self._per_second)
