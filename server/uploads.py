"""Limit the uploads that no page has read yet.

A page reads a file as soon as it has arrived. But a client with a socket may send file after file without a page that
reads them, and Streamlit stores each until the session ends.
"""

from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import streamlit_internals

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
