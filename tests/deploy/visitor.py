"""A visitor without a browser: stores the cookie, opens a socket and reconnects when it is lost, as a page does."""

from __future__ import annotations

import http.client
import re
import threading
import time
import urllib.parse
from contextlib import ExitStack
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

PATIENCE = 240  # seconds; generous, for a busy machine
THINKING = 0.2  # seconds between an answer and the next sentence
COOKIE = "atlas_replica"


@dataclass
class Response:
    """An HTTP response; names of headers are in lower case, repeated ones are joined by a line break."""

    status: int
    headers: dict[str, str]
    body: bytes


def request(url: str, path: str = "/", method: str = "GET", body: bytes | None = None, **headers: str) -> Response:
    """Send one request on a new connection; underscores in the names of headers stand for hyphens."""
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        received: dict[str, str] = {}
        for name, text in answer.getheaders():
            received[name.lower()] = f"{received[name.lower()]}\n{text}" if name.lower() in received else text
        return Response(answer.status, received, answer.read())
    finally:
        connection.close()


@dataclass
class HttpVisitor:
    """A visitor who types sentences.

    Attributes:
        replica: port of the replica in the cookie; 0 before the first response.
        lost: how often the socket was lost.
        answers: for each answered sentence the replica.
    """

    url: str
    replica: int = 0
    lost: int = 0
    answers: list[int] = field(default_factory=list)
    failure: str = ""
    session: str = ""
    _socket: ClientConnection | None = None
    _stack: ExitStack = field(default_factory=ExitStack)

    def get(self, path: str) -> Response:
        """Request a path, and store the cookie."""
        answer = request(self.url, path, **({"Cookie": f"{COOKIE}={self.replica}"} if self.replica else {}))
        self._store_cookie(answer.headers.get("set-cookie", ""))
        return answer

    def arrive(self) -> int:
        """Open the first page; the port of the replica that serves this visitor."""
        self.get("/")
        return self.replica

    def token(self) -> str:
        """Streamlit's token against forged requests, which is in a cookie and must come back as a header too."""
        return re.search(rf"{XSRF_COOKIE_NAME}=([^;]+)", self.get("/_stcore/health").headers["set-cookie"])[1]

    def connect(self) -> None:
        """Open the socket, and request the session of before if there was one, as the browser does.

        Raises:
            OSError, InvalidHandshake: it failed.
        """
        address = urllib.parse.urlsplit(self.url)
        protocols = ["streamlit", "PLACEHOLDER_AUTH_TOKEN", self.session] if self.session else ["streamlit"]
        opening = connect(
            f"ws://{address.netloc}/_stcore/stream",
            origin=self.url,
            subprotocols=protocols,
            additional_headers={"Cookie": f"{COOKIE}={self.replica}"} if self.replica else {},
            compression=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        self._socket = self._stack.enter_context(opening)
        self._store_cookie(self._socket.response.headers.get("Set-Cookie", ""))

    def ask(self, sentence: str) -> bytes:
        """Open the page with `sentence`; all messages that the server sends for it.

        Raises:
            ConnectionClosed: the socket was lost before the end.
        """
        message = BackMsg()
        message.rerun_script.query_string = urllib.parse.urlencode({"text": sentence})
        self._socket.send(message.SerializeToString())
        received = b""
        while True:
            part = self._socket.recv(timeout=PATIENCE)
            received += part
            answer = ForwardMsg.FromString(part)
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id
            elif kind == "script_finished":
                assert answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                self.answers.append(self.replica)
                return received

    def keep_asking(self, over: threading.Event) -> None:
        """Type sentence after sentence until `over`; an error other than a lost socket is stored in `failure`."""
        try:
            self.get("/")
            self.connect()
            number = 0
            while not over.wait(THINKING):
                number += 1
                try:
                    self.ask(f"We have {number % 7 + 2} cars.")
                except ConnectionClosed:
                    self.lost += 1
                    self._stack.pop_all().close()
                    self._connect_again()
            self.close()
        except Exception as error:  # the test that started this thread reports it
            self.failure = repr(error)

    def close(self) -> None:
        """Disconnect."""
        self._stack.close()

    def _connect_again(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.connect()
            except (OSError, InvalidHandshake):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _store_cookie(self, cookies: str) -> None:
        for cookie in cookies.splitlines():
            if cookie.startswith(f"{COOKIE}="):
                self.replica = int(cookie.removeprefix(f"{COOKIE}=").split(";")[0])
