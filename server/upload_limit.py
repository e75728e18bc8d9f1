"""Uploads that no page has taken yet: how much of them there may be.

A page takes a file as soon as it is there. But whoever has a socket may send file after file without a page that takes
them, and Streamlit keeps each until the visit ends.
"""

from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import streamlit_internals

UPLOADS = "/_stcore/upload_file/"
A_VISIT = 4  # files; a page asks for one at a time
BYTES = 128 * 2**20  # of all visits together
LEAST = 2**16  # bytes that a file counts for, so that there are not too many small ones either

Forget = Callable[[str, str], None]  # of a visit, a file


class FewUploads:
    """Forget the oldest upload of a visit, or of all, where there are too many that may still be waiting.

    Whether a page has taken a file is not known here: forgetting it once more does no harm.
    """

    def __init__(self, app: ASGIApp, forget: Forget = streamlit_internals.forget_upload, most: int = BYTES) -> None:
        self._app, self._forget, self._most = app, forget, most
        self._waiting: OrderedDict[tuple[str, str], int] = OrderedDict()  # visit and file -> bytes, the oldest first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or not scope["path"].startswith(UPLOADS):
            return await self._app(scope, receive, send)
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return message

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                visit, _, file = scope["path"].removeprefix(UPLOADS).partition("/")
                self._note(visit, file, size)
            await send(message)

        await self._app(scope, counted, noted)

    def _note(self, visit: str, file: str, size: int) -> None:
        self._waiting.pop((visit, file), None)
        self._waiting[visit, file] = max(size, LEAST)
        own = [key for key in self._waiting if key[0] == visit]
        for key in own[:-A_VISIT]:
            self._let_go(key)
        while len(self._waiting) > 1 and sum(self._waiting.values()) > self._most:
            self._let_go(next(iter(self._waiting)))

    def _let_go(self, key: tuple[str, str]) -> None:
        del self._waiting[key]
        self._forget(*key)
