"""Clients of a running server that open sockets, send random messages, request every route and disconnect abruptly."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from http.client import HTTPException
from urllib.parse import quote

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.deploy.visitor import request
from tests.fuzz import messages
from tests.fuzz.messages import UUID, KnownIds
from tests.fuzz.texts import MARK

CLOSED = (1002, 1003, 1007, 1008, 1009)  # codes with which a server may close a misused socket
PATIENCE = 60  # seconds after which a server counts as not answering
PER_SOCKET = (1, 5, 20, 50, 100)  # messages at most; the server delays those after the sixtieth
MAX_EMPTY_SOCKETS = 20  # in a row that were closed before anything was sent
REQUEST_RATE = 0.08  # HTTP requests per message
SMALL, LARGE = 3000, 7 * 2**20  # bytes of most uploads and of some
PATHS = (
    "/media/{name}", "/_stcore/upload_file/{session}/{name}", "/_stcore/bidi-components/{name}/index.js",
    "/component/{name}/index.html", "/static/{name}", "/app/static/{name}", "/{name}", "/{name}/_stcore/health",
    "/_stcore/agent/{name}", "/_stcore/metrics?families={name}", "/_stcore/script-health-check", "/metrics", "/healthz",
    "/auth/login?provider={name}", "/oauth2callback?state={name}", "/static/..%2f..%2f{name}", "/%5c{name}%00",
)  # fmt: skip
METHODS = ("GET", "GET", "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", MARK.upper())


class WrongAnswer(Exception):
    """The server answered as it must not; the message states how."""


class UnauthenticatedClient:
    """One client, over several sockets.

    Attributes:
        outcomes: outcome -> number of messages, sockets and requests.
    """

    def __init__(self, url: str, chances: random.Random) -> None:
        self.outcomes: Counter[str] = Counter()
        self._url, self._chances = url, chances
        self._socket_url = url.replace("http", "ws", 1) + "/_stcore/stream"
        self._known = KnownIds()

    async def send(self, count: int) -> None:
        """Send so many messages, over as many sockets as it takes.

        Raises:
            WrongAnswer: an answer that no client may get.
        """
        empty_sockets = 0
        while count > 0:
            sent = await self._talk(min(count, self._chances.choice(PER_SOCKET)))
            count, empty_sockets = count - sent, 0 if sent else empty_sockets + 1
            if empty_sockets > MAX_EMPTY_SOCKETS:
                raise WrongAnswer("No socket stays open.")

    async def _talk(self, most: int) -> int:
        """Open one socket and send messages; how many were sent."""
        chances, sent, misused = self._chances, 0, False
        session = chances.choice(("", "", "", UUID, MARK, self._known.session))
        protocols = ["streamlit", MARK, session] if session else ["streamlit"]
        origin = chances.choice((None, self._url))
        socket = await connect(
            self._socket_url,
            origin=origin,
            subprotocols=protocols,
            compression=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        self.outcomes["sockets"] += 1
        listening = asyncio.create_task(self._listen(socket))
        try:
            while sent < most and socket.close_code is None:
                message = messages.random_message(chances, self._known)
                with contextlib.suppress(ConnectionClosed):
                    await socket.send(message.content)
                    sent += 1
                    self.outcomes[message.sort] += 1
                if message.sort == "malformed" or len(message.content) > messages.MEGABYTE - messages.LARGEST:
                    misused = True  # the server may close the connection before its close frame arrives
                    await asyncio.wait([listening], timeout=0.05)
                elif chances.random() < 0.1:
                    await asyncio.sleep(chances.uniform(0, 0.1))
                if chances.random() < REQUEST_RATE:
                    await asyncio.to_thread(self._send_request)
            if socket.close_code is not None and socket.protocol.close_rcvd is None and not misused:
                raise WrongAnswer("A socket was closed without a close frame.")
        finally:
            await self._leave(socket, listening)
        return sent

    async def _leave(self, socket: ClientConnection, listening: asyncio.Task) -> None:
        """Close the socket, sometimes without a close frame, if the server has not done so."""
        if self._chances.random() < 0.2:
            socket.transport.abort()
        else:
            await asyncio.wait_for(socket.close(), PATIENCE)
        await asyncio.wait_for(listening, PATIENCE)
        received = socket.protocol.close_rcvd
        closed_by_client = received is None or socket.protocol.close_rcvd_then_sent is False
        if not closed_by_client:
            self.outcomes[f"closed {received.code}"] += 1
            if received.code not in CLOSED:
                raise WrongAnswer(f"A socket was closed with {received.code} {received.reason}.")

    async def _listen(self, socket: ClientConnection) -> None:
        """Record the ids in the server's messages."""
        with contextlib.suppress(ConnectionClosed):
            async for data in socket:
                self._learn(ForwardMsg.FromString(data))

    def _learn(self, message: ForwardMsg) -> None:
        kind, known = message.WhichOneof("type"), self._known
        if kind == "new_session":
            known.session = message.new_session.initialize.session_id
        elif kind == "navigation":
            known.page_hashes = [page.page_script_hash for page in message.navigation.app_pages]
        elif kind == "file_urls_response":
            known.files += [urls.file_id for urls in message.file_urls_response.file_urls[:2]]
        elif kind == "delta":
            element = message.delta.new_element
            control = getattr(element, element.WhichOneof("type") or "", None)
            for names, name in (
                (known.widgets, getattr(control, "id", "")),
                (known.files, getattr(control, "deferred_file_id", "")),
                (known.fragments, message.delta.fragment_id),
            ):
                if name and name not in names:
                    names.append(name)
                    del names[:-200]

    def _send_request(self) -> None:
        """Send one HTTP request; any answer but a server error is accepted."""
        chances, headers, body = self._chances, {}, None
        method = chances.choice(METHODS)
        name = quote(chances.choice((MARK, UUID, messages.text(chances)[:500], *self._known.files[-3:])), safe="")
        path = chances.choice(PATHS).format(
            name=name, session=chances.choice((self._known.session or UUID, UUID, name))
        )
        if method in ("PUT", "POST", "DELETE"):
            token = chances.choice(("2|00000000|6d346b|1", MARK))
            headers = {"Cookie": f"_streamlit_xsrf={token}", "X_Xsrftoken": token}
            body = self._upload() if chances.random() < 0.9 else MARK.encode()
            headers["Content_Type"] = chances.choice((f"multipart/form-data; boundary={MARK}", "text/plain", MARK))
        if chances.random() < 0.2:
            headers |= chances.choice(
                ({"Origin": f"http://{MARK}.example"}, {"Host": f"{MARK}.example"}, {"Range": f"bytes=9-{MARK}"},
                 {"X_Forwarded_For": f"{MARK}, 192.0.2.1"}, {"Accept": "application/x-protobuf"},
                 {"Cookie": MARK * 1000})
            )  # fmt: skip
        try:
            status = request(self._url, path, method, body, **headers).status
        except (OSError, HTTPException):  # the server may close the connection while the request is being sent
            status = 0
        self.outcomes[f"{status // 100}xx" if status else "hung up on"] += 1
        if status >= 500:
            raise WrongAnswer(f"{method} {path} was answered with {status}.")

    def _upload(self) -> bytes:
        """The body of an upload, mostly small, well-formed or cut."""
        size = SMALL if self._chances.random() < 0.97 else LARGE
        head = f'--{MARK}\r\nContent-Disposition: form-data; name="{MARK}"; filename="{MARK}"\r\n\r\n'
        body = head.encode() + bytes(size) + f"\r\n--{MARK}--\r\n".encode()
        return body if self._chances.random() < 0.8 else body[: self._chances.randrange(len(body))]
