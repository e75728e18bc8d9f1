"""Puts `history.js` into the page before Streamlit's own scripts, served by this app as any other file."""

import hashlib
import re
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from views.address.visitor import MOVED, SHARED

SOURCE = (Path(__file__).parent / "history.js").read_text(encoding="utf-8")
PATH = f"/history-{hashlib.sha256(SOURCE.encode()).hexdigest()[:12]}.js"  # another text has another address
ANY_PATH = re.compile(r"/history-\w+\.js")
TAG = f'<script src=".{PATH}" data-shared="{" ".join(SHARED)}" data-moved="{MOVED}"></script>'.encode()
HEAD = b"<head>"


class HistoryScript:
    """Middleware: serves the script, and names it at the beginning of every page of HTML.

    A page keeps neither date nor tag, by which a browser could ask whether its copy without the script still holds.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or _is_file(scope["path"]):
            await self.app(scope, receive, send)
        elif ANY_PATH.fullmatch(scope["path"]):  # during an update another server may have made the page
            keep = "public, max-age=31536000, immutable" if scope["path"] == PATH else "no-store"
            await Response(SOURCE, media_type="text/javascript", headers={"Cache-Control": keep})(scope, receive, send)
        else:
            plain = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
            headers = [(name, value) for name, value in scope["headers"] if name not in plain]
            await self.app({**scope, "headers": headers}, receive, Rewriter(send))


class Rewriter:
    """What is sent for one request; HTML is held until all of it is there."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None  # of HTML
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == 200 and _is_html(message):
                self._start = message
                return
        elif self._start is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            body = self._body.replace(HEAD, HEAD + TAG, 1)
            headers = MutableHeaders(raw=list(self._start["headers"]))
            headers["content-length"] = str(len(body))
            for name in ("etag", "last-modified", "accept-ranges"):
                del headers[name]
            await self._send({**self._start, "headers": headers.raw})
            message = {"type": "http.response.body", "body": body}
        await self._send(message)


def _is_html(message: Message) -> bool:
    return MutableHeaders(raw=list(message["headers"])).get("content-type", "").startswith("text/html")


def _is_file(path: str) -> bool:
    """True for what is never a page of HTML."""
    return path.startswith(("/static/", "/_stcore/", "/media/"))
