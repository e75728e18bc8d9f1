"""Scripts and style sheets travel compressed, to browsers that take gzip; each is compressed once.

Streamlit sends them as they are: compressing one for every browser would cost more than it saves. A proxy does the same
in front of several servers (deploy/nginx); this is for a server that readers reach directly.
"""

import gzip

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KINDS = (".js", ".css")
SMALLEST = 1_000  # bytes; below that there is nothing to gain
LEVEL = 6


class CompressedScripts:
    """Middleware: answers a request for a script or a style sheet with its compressed form.

    There are as many forms to keep as there are such files: what browsers are not to keep is not kept here either.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        if not path.endswith(KINDS):
            return await self._app(scope, receive, send)
        asked = Headers(scope=scope)
        send = with_vary(send)
        if "gzip" in asked.get("accept-encoding", "") and "range" not in asked:
            send = self._compressing(path, send)
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
            kept = headers.get("cache-control") != "no-store"
            if start["status"] == 200 and kept and len(content) >= SMALLEST:
                if path not in self._compressed:
                    self._compressed[path] = await to_thread.run_sync(gzip.compress, content, LEVEL)
                content = self._compressed[path]
                headers["content-encoding"] = "gzip"
                headers["content-length"] = str(len(content))
                if "etag" in headers:  # another form is another answer
                    headers["etag"] = f'{headers["etag"].removesuffix(chr(34))}-gzip"'
            await send(start)
            await send({"type": "http.response.body", "body": content})

        return compressed


def with_vary(send: Send) -> Send:
    """`send`, with a word for caches between here and the browser: the answer depends on what the browser takes."""

    async def varying(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Accept-Encoding")
        await send(message)

    return varying
