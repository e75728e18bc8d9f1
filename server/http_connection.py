"""Limits of an HTTP connection: the size of a request's head, and how long each part of an exchange may take.

uvicorn with httptools has none but for connections that idle after a response: a header of 200 MB was stored in
growing pieces for 51 s, in which nobody else was answered.
"""

import socket
from asyncio import BaseTransport, TimerHandle, Transport
from collections.abc import Callable
from typing import cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from server.limits import HttpLimits

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
