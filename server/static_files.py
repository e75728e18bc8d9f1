"""Compress scripts and style sheets once, for browsers that accept gzip.

Streamlit sends them uncompressed, since compressing them for every request would cost more than it saves. In front of
several servers a proxy compresses them (deploy/nginx); this is for a server that browsers reach directly.
"""

import gzip

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EXTENSIONS = (".js", ".css")
MIN_BYTES = 1_000  # bytes; below that there is nothing to gain
LEVEL = 6


class CompressedStaticFiles:
    """Answer requests for scripts and style sheets with their compressed content.

    It is cached by path, unless the response is `no-store`, so the cache is bounded by the number of files.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        if not path.endswith(EXTENSIONS):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        send = with_vary(send)
        if "gzip" in headers.get("accept-encoding", "") and "range" not in headers:
            send = self._compressing(path, send)
            # the routes of this app, other than Streamlit's files, would be compressed for every request, and twice
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]}
        await self._app(scope, receive, send)

    def _compressing(self, path: str, send: Send) -> Send:
        start: Message = {}
        body = bytearray()

        async def compressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            content = bytes(body)
            headers = MutableHeaders(scope=start)
            cacheable = headers.get("cache-control") != "no-store"
            if start["status"] == 200 and cacheable and len(content) >= MIN_BYTES:
                if path not in self._compressed:
                    self._compressed[path] = await to_thread.run_sync(gzip.compress, content, LEVEL)
                content = self._compressed[path]
                headers["content-encoding"] = "gzip"
                headers["content-length"] = str(len(content))
                if "etag" in headers:  # another encoding is another representation
                    headers["etag"] = f'{headers["etag"].removesuffix(chr(34))}-gzip"'
            await send(start)
            await send({"type": "http.response.body", "body": content})

        return compressed


def with_vary(send: Send) -> Send:
    """Add `Vary: Accept-Encoding` to the response, for caches between here and the browser."""

    async def varying(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Accept-Encoding")
        await send(message)

    return varying
