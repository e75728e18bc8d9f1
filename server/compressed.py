"""Scripts and style sheets travel compressed, to browsers that take gzip; each is compressed once.

Streamlit sends them as they are: compressing one for every browser would cost more than it saves. A proxy does the same
in front of several servers (deploy/nginx); this is for a server that readers reach directly.
"""

import gzip

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOLDER, KINDS = "/static/", (".js", ".css")
SMALLEST = 1_000  # bytes; below that there is nothing to gain
LEVEL = 6


class CompressedScripts:
    """Middleware: answers a request for a script or a style sheet of Streamlit's with its compressed form.

    There are as many forms to keep as Streamlit has such files: what has another address is not looked at.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and scope["path"].startswith(FOLDER)
            and scope["path"].endswith(KINDS)
        ):
            return await self._app(scope, receive, send)
        asked = Headers(scope=scope)
        if "gzip" not in asked.get("accept-encoding", "") or "range" in asked:
            return await self._app(scope, receive, with_vary(send))
        await self._app(scope, receive, self._compressing(scope["path"], with_vary(send)))

    def _compressing(self, path: str, send: Send) -> Send:
        start: Message = {}
        body = bytearray()

        async def compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            content = bytes(body)
            if start["status"] == 200 and len(content) >= SMALLEST:
                content = await self._form(path, content)
                headers = MutableHeaders(raw=list(start["headers"]))
                headers["content-encoding"] = "gzip"
                headers["content-length"] = str(len(content))
                if "etag" in headers:  # another form is another answer
                    headers["etag"] = f'{headers["etag"].removesuffix(chr(34))}-gzip"'
                start["headers"] = headers.raw
            await send(start)
            await send({"type": "http.response.body", "body": content})

        return compressed

    async def _form(self, path: str, content: bytes) -> bytes:
        if path not in self._compressed:
            self._compressed[path] = await to_thread.run_sync(gzip.compress, content, LEVEL)
        return self._compressed[path]


def with_vary(send: Send) -> Send:
    """`send`, with a word for caches between here and the browser: the answer depends on what the browser takes."""

    async def varying(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            headers.add_vary_header("Accept-Encoding")
            message = {**message, "headers": headers.raw}
        await send(message)

    return varying
