"""Strangers at a running server: they open sockets, send what `messages` makes, ask for every route, leave rudely."""

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
from tests.fuzz.messages import UUID, Seen
from tests.fuzz.texts import MARK

CLOSED = (1002, 1003, 1007, 1008, 1009)  # how a server may close the socket of somebody who misuses it
PATIENCE = 60  # seconds until a server counts as one that does not answer
A_SOCKET = (1, 5, 20, 50, 100)  # messages at most; the server delays those after the sixtieth
IN_VAIN = 20  # sockets in a row that were closed before anything was sent
A_ROUTE = 0.08  # routes asked for, for each message
SMALL, LARGE = 3000, 7 * 2**20  # bytes of most uploads and of some
PATHS = (
    "/media/{name}", "/_stcore/upload_file/{session}/{name}", "/_stcore/bidi-components/{name}/index.js",
    "/component/{name}/index.html", "/static/{name}", "/app/static/{name}", "/{name}", "/{name}/_stcore/health",
    "/_stcore/agent/{name}", "/_stcore/metrics?families={name}", "/_stcore/script-health-check", "/metrics", "/healthz",
    "/auth/login?provider={name}", "/oauth2callback?state={name}", "/static/..%2f..%2f{name}", "/%5c{name}%00",
)  # fmt: skip
METHODS = ("GET", "GET", "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", MARK.upper())


class Wrong(Exception):
    """The server did what it must not do; the message says what."""


class Stranger:
    """One of them, over several sockets.

    Attributes:
        ended: how many messages, sockets and requests ended how.
    """

    def __init__(self, url: str, chances: random.Random) -> None:
        self.ended: Counter[str] = Counter()
        self._url, self._chances = url, chances
        self._socket_url = url.replace("http", "ws", 1) + "/_stcore/stream"
        self._seen = Seen()

    async def send(self, count: int) -> None:
        """Send so many messages, over as many sockets as it takes.

        Raises:
            Wrong: an answer that no stranger may get.
        """
        in_vain = 0
        while count > 0:
            sent = await self._talk(min(count, self._chances.choice(A_SOCKET)))
            count, in_vain = count - sent, 0 if sent else in_vain + 1
            if in_vain > IN_VAIN:
                raise Wrong("No socket stays open.")

    async def _talk(self, most: int) -> int:
        """One socket; how many messages were sent."""
        chances, sent, misused = self._chances, 0, False
        before = chances.choice(("", "", "", UUID, MARK, self._seen.session))
        protocols = ["streamlit", MARK, before] if before else ["streamlit"]
        origin = chances.choice((None, self._url))
        socket = await connect(
            self._socket_url,
            origin=origin,
            subprotocols=protocols,
            compression=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        self.ended["sockets"] += 1
        listening = asyncio.create_task(self._listen(socket))
        try:
            while sent < most and socket.close_code is None:
                message = messages.message(chances, self._seen)
                with contextlib.suppress(ConnectionClosed):
                    await socket.send(message.content)
                    sent += 1
                    self.ended[message.sort] += 1
                if message.sort == "malformed" or len(message.content) > messages.MEGABYTE - messages.LARGEST:
                    misused = True  # what it closes then may break off before it has said so
                    await asyncio.wait([listening], timeout=0.05)
                elif chances.random() < 0.1:
                    await asyncio.sleep(chances.uniform(0, 0.1))
                if chances.random() < A_ROUTE:
                    await asyncio.to_thread(self._ask)
            if socket.close_code is not None and socket.protocol.close_rcvd is None and not misused:
                raise Wrong("A socket broke off without a word.")
        finally:
            await self._leave(socket, listening)
        return sent

    async def _leave(self, socket: ClientConnection, listening: asyncio.Task) -> None:
        """Close the socket, now and then without a word, if the server has not done so."""
        if self._chances.random() < 0.2:
            socket.transport.abort()
        else:
            await asyncio.wait_for(socket.close(), PATIENCE)
        await asyncio.wait_for(listening, PATIENCE)
        received = socket.protocol.close_rcvd
        mine = received is None or socket.protocol.close_rcvd_then_sent is False
        if not mine:
            self.ended[f"closed {received.code}"] += 1
            if received.code not in CLOSED:
                raise Wrong(f"A socket was closed with {received.code} {received.reason}.")

    async def _listen(self, socket: ClientConnection) -> None:
        """Learn what the server tells, as far as it is of use."""
        with contextlib.suppress(ConnectionClosed):
            async for data in socket:
                self._learn(ForwardMsg.FromString(data))

    def _learn(self, message: ForwardMsg) -> None:
        kind, seen = message.WhichOneof("type"), self._seen
        if kind == "new_session":
            seen.session = message.new_session.initialize.session_id
        elif kind == "navigation":
            seen.page_hashes = [page.page_script_hash for page in message.navigation.app_pages]
        elif kind == "file_urls_response":
            seen.files += [urls.file_id for urls in message.file_urls_response.file_urls[:2]]
        elif kind == "delta":
            element = message.delta.new_element
            control = getattr(element, element.WhichOneof("type") or "", None)
            for known, name in (
                (seen.widgets, getattr(control, "id", "")),
                (seen.files, getattr(control, "deferred_file_id", "")),
                (seen.fragments, message.delta.fragment_id),
            ):
                if name and name not in known:
                    known.append(name)
                    del known[:-200]

    def _ask(self) -> None:
        """One request by HTTP; anything but an error of the server's own will do."""
        chances, headers, body = self._chances, {}, None
        method = chances.choice(METHODS)
        name = quote(chances.choice((MARK, UUID, messages.text(chances)[:500], *self._seen.files[-3:])), safe="")
        path = chances.choice(PATHS).format(name=name, session=chances.choice((self._seen.session or UUID, UUID, name)))
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
        except (OSError, HTTPException):  # it may close the connection while it is still being told something
            status = 0
        self.ended[f"{status // 100}xx" if status else "hung up on"] += 1
        if status >= 500:
            raise Wrong(f"{method} {path} was answered with {status}.")

    def _upload(self) -> bytes:
        """The body of an upload, mostly small, well-formed or cut."""
        size = SMALL if self._chances.random() < 0.97 else LARGE
        head = f'--{MARK}\r\nContent-Disposition: form-data; name="{MARK}"; filename="{MARK}"\r\n\r\n'
        body = head.encode() + bytes(size) + f"\r\n--{MARK}--\r\n".encode()
        return body if self._chances.random() < 0.8 else body[: self._chances.randrange(len(body))]
