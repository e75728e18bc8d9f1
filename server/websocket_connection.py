"""Limits of an open WebSocket below the level of messages: control frames, fragments, and clients that do not read.

uvicorn answers each ping without a limit, stores every frame of an unfinished message, and waits for ever until a
client that was disconnected has read what was sent to it before.
"""

from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import CTRL_OPCODES, CloseCode, Frame, Opcode
from websockets.server import ServerProtocol

from server.http_errors import Refusal, close_reason
from server.limits import SocketLimits
from server.rate_limit import RateLimit

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
