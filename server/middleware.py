"""The middleware that every request and every WebSocket passes through before it reaches Streamlit."""

import hashlib
import ipaddress
import logging
import os
import socket
from asyncio import BaseTransport, TimerHandle, Transport
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from server import logs, streamlit_internals, uvicorn_socket
from server.base_path import InsertBasePath, RemoveBasePath, base_path
from server.headers import SecurityHeaders
from server.http_errors import Refusal, RefusalLanguage, RequestLanguage, refuse
from server.limits import HttpLimits, SocketLimits
from server.static_files import CompressedStaticFiles
from server.streamlit_internals import ForwardMsg, is_host_allowed
from server.websocket_connection import LimitedWebSocketProtocol
from server.websocket_messages import MessageFilter


def middleware_stack(
    script: str,
    version: str,
    pages: Collection[str],
    extra_paths: Collection[str],
    moved: Mapping[str, str],
    *of_pages: Middleware,
    language: RequestLanguage | None = None,
) -> list[Middleware]:
    """The middleware of the app, the outermost first.

    Args:
        script, version: see `InstallationRedaction`.
        pages, extra_paths, moved: see `KnownAddresses`.
        of_pages: middleware of the pages; runs after the host check.
        language: see `RefusalLanguage`; refusals are in English if None.
    """
    own_paths = [path.partition("{")[0] for path in extra_paths]
    return [
        Middleware(RemoveBasePath, root_paths=[path for path in extra_paths if "{" not in path]),
        *([Middleware(RefusalLanguage, language=language)] if language else []),
        Middleware(ConnectionLimits),
        Middleware(SecurityHeaders),
        Middleware(HostCheck),
        Middleware(CompressedStaticFiles),
        *of_pages,
        Middleware(KnownAddresses, pages=pages, extra_paths=extra_paths, moved=moved),
        Middleware(SocketsByAddress),
        Middleware(MessageFilter),
        Middleware(UploadLimit),
        Middleware(InstallationRedaction, script=script, version=version),
        Middleware(InsertBasePath, own_paths=own_paths),
    ]


# Answer 404 to unknown addresses; Streamlit would send its page with status 200.

SOCKET = "/_stcore/stream"
# Streamlit's own routes that are used.
STREAMLIT_PATHS = (
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
)
# Prefixes of paths that are created while the server runs, or that another version has, and their methods. Uploads
# cannot be read by address.
DYNAMIC_PATHS = {
    "/media/": ("GET", "HEAD", "OPTIONS"),
    "/viewer/": ("GET", "HEAD"),
    "/_stcore/upload_file/": ("PUT", "DELETE", "OPTIONS"),
}
NOT_FOUND = Refusal("There is no such page here.")


class KnownAddresses:
    """Answer 404 to every address that is not part of this app, and redirect old addresses of pages.

    Args:
        pages: the names of the pages in their addresses; the first page is the bare address.
        extra_paths: paths of further routes.
        moved: old name of a page -> new name.
    """

    def __init__(
        self,
        app: ASGIApp,
        pages: Collection[str],
        extra_paths: Collection[str] = (),
        moved: Mapping[str, str] | None = None,
    ) -> None:
        self._app = app
        self._moved = {f"/{old}": f"/{new}" for old, new in (moved or {}).items()}
        page_paths = {f"/{page}{slash}" for page in pages for slash in ("", "/")}  # Streamlit redirects the second
        folder = streamlit_internals.static_folder()
        files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
        names = (f"/{path.relative_to(folder).as_posix()}" for path in files)
        self._known = frozenset({"/", *page_paths, *extra_paths, *STREAMLIT_PATHS, *names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if (target := self._moved.get(path.rstrip("/"))) and method in ("GET", "HEAD"):
                query = scope["query_string"].decode("latin-1")
                target = f"{base_path()}{target}"
                return await RedirectResponse(f"{target}?{query}" if query else target, 308)(scope, receive, send)
            known = path in self._known or any(
                path.startswith(prefix) and method in methods for prefix, methods in DYNAMIC_PATHS.items()
            )
        else:
            known = scope["type"] != "websocket" or scope["path"] == SOCKET
        if not known:
            return await refuse(scope, receive, send, 404, NOT_FOUND, link_home=True)
        await self._app(scope, receive, send)


# Find the address of a client, behind reverse proxies too, and limit its sockets.

TRUSTED_PROXIES = "ATLAS_TRUSTED_PROXIES"  # environment: addresses or networks of reverse proxies, separated by spaces
TOO_MANY_SOCKETS = Refusal("Too many windows of this site are open at your address: close one and try again.")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SocketsByAddress:
    """Refuse a socket if its address has the maximum number open already.

    Args:
        proxies: reverse proxies whose X-Forwarded-For is trusted; those of the environment if None.
    """

    def __init__(
        self, app: ASGIApp, limits: SocketLimits | None = None, proxies: Sequence[Network] | None = None
    ) -> None:
        self._app = app
        self._limit = (limits or SocketLimits()).per_address
        self._proxies = trusted_proxies() if proxies is None else tuple(proxies)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        peer = uvicorn_socket.peer(receive) or (scope.get("client") or ("",))[0]
        address = client_address(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._proxies)
        if self._open[address] >= self._limit:
            return await refuse(scope, receive, send, 429, TOO_MANY_SOCKETS)
        self._open[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def trusted_proxies(setting: str | None = None) -> tuple[Network, ...]:
    """The proxies that a setting lists, by default that of the environment.

    Raises:
        ValueError: an item is neither an address nor a network; the message contains it.
    """
    names = (os.environ.get(TRUSTED_PROXIES, "") if setting is None else setting).replace(",", " ").split()
    try:
        return tuple(ipaddress.ip_network(name) for name in names)
    except ValueError as error:
        raise ValueError(f"{TRUSTED_PROXIES}: {error}. Name addresses or networks such as 10.0.0.0/24.") from None


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The client's address of a connection from `peer`.

    Args:
        forwarded: the values of its X-Forwarded-For headers. They count only if `peer` is one of the `proxies`, and
            are read from the last one: a proxy appends to what a client claims.

    Returns:
        An IPv4 address; the /64 network of an IPv6 address, since a home or an office has a whole one; else `peer`.
    """
    hops = [hop.strip() for header in forwarded for hop in header.split(",") if hop.strip()]
    address = _parsed(peer)
    while hops and address is not None and any(address in network for network in proxies):
        claimed = _parsed(hops.pop())
        if claimed is None:
            break  # not an address: the connection counts as the proxy's own
        address = claimed
    if address is None:
        return peer
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in `text`, or None; an IPv4-mapped IPv6 address becomes IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


# Make the server limit each connection, before any request reaches the app, and keep its name to itself.
#
# An ASGI app receives a request when its head is complete, and a message of a WebSocket when all of its frames are
# there. So these limits are in the server's connections. Streamlit creates the server, and takes no option for their
# classes; the first message that an app receives, at the start, comes from an object that has the server's
# configuration.


class ConnectionLimits:
    """Replace the classes of uvicorn's connections by those with limits, when the server starts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" and not uvicorn_socket.limit_connections(
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


# Check the Host and Origin headers.
#
# Streamlit checks `server.allowedHosts` only when a socket opens, so a foreign name that resolves to this server (DNS
# rebinding) could be used to read pages, pictures and metrics. It checks the origin of a socket too, but before it
# refuses one, it asks a service on the internet for the address of this machine, and blocks all visitors meanwhile.

UNKNOWN_HOST = Refusal(
    "This server does not answer to that name: open the site at the address that its operator gave you."
)
FOREIGN_ORIGIN = Refusal("Pages of other sites may not use this server.")


class HostCheck:
    """Refuse requests whose Host is missing, repeated or not in `server.allowedHosts`, and those of another origin.

    The allowed origin is the Host header, port included, so a reverse proxy must pass it on unchanged. Clients that
    are not browsers send no origin and are accepted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            hosts, origins = headers.getlist("host"), headers.getlist("origin")
            if len(hosts) != 1 or not is_host_allowed(hosts[0]):
                return await refuse(scope, receive, send, 421, UNKNOWN_HOST)
            if origins and not (len(origins) == 1 and is_same_origin(origins[0], hosts[0])):
                return await refuse(scope, receive, send, 403, FOREIGN_ORIGIN)
        await self._app(scope, receive, send)


def is_same_origin(origin: str, host: str | None) -> bool:
    """Whether `origin` is exactly `http://host` or `https://host`, as Streamlit compares them too."""
    try:
        scheme = urlsplit(origin).scheme
    except ValueError:
        return False
    return bool(host) and scheme in ("http", "https") and origin == f"{scheme}://{host}"


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


# Limit the uploads that no page has read yet.
#
# A page reads a file as soon as it has arrived. But a client with a socket may send file after file without a page that
# reads them, and Streamlit stores each until the session ends.

UPLOADS = "/_stcore/upload_file/"
MAX_FILES_PER_SESSION = 4  # a page requests one at a time
MAX_BYTES = 128 * 2**20  # of all sessions together
MIN_COUNTED_BYTES = 2**16  # that a file counts for, so that there are not too many small ones either

Forget = Callable[[str, str], None]  # session, file


class UploadLimit:
    """Drop the oldest uploads of a session, or of all sessions, beyond the limits.

    Whether a page has read a file is not known here: dropping it again does no harm.
    """

    def __init__(
        self, app: ASGIApp, forget: Forget = streamlit_internals.forget_upload, max_bytes: int = MAX_BYTES
    ) -> None:
        self._app, self._forget, self._max_bytes = app, forget, max_bytes
        self._waiting: OrderedDict[tuple[str, str], int] = OrderedDict()  # session and file -> bytes, the oldest first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or not scope["path"].startswith(UPLOADS):
            return await self._app(scope, receive, send)
        size = 0

        async def receive_counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return message

        async def send_recorded(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                session, _, file = scope["path"].removeprefix(UPLOADS).partition("/")
                self._record(session, file, size)
            await send(message)

        await self._app(scope, receive_counted, send_recorded)

    def _record(self, session: str, file: str, size: int) -> None:
        self._waiting.pop((session, file), None)
        self._waiting[session, file] = max(size, MIN_COUNTED_BYTES)
        own = [key for key in self._waiting if key[0] == session]
        for key in own[:-MAX_FILES_PER_SESSION]:
            self._drop(key)
        while len(self._waiting) > 1 and sum(self._waiting.values()) > self._max_bytes:
            self._drop(next(iter(self._waiting)))

    def _drop(self, key: tuple[str, str]) -> None:
        del self._waiting[key]
        self._forget(*key)
