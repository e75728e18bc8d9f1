"""Only this site's own pages may use this server from a browser.

Streamlit would look at the origin of a socket too. But before it refuses one, it asks a service in the internet for the
address of this machine, while everybody waits. So a foreign origin must never reach it.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server.refusals import REFUSABLE, refuse

SENTENCE = "Pages of other sites may not use this server."


class OwnOrigin:
    """Refuse whatever a page of another origin asks for. What is no browser sends no origin and may ask.

    A page's own origin is the name by which the server is called, port included: a reverse proxy must pass on the Host
    header as it came.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in REFUSABLE:
            headers = Headers(scope=scope)
            origins = headers.getlist("origin")
            if origins and not (len(origins) == 1 and is_own(origins[0], headers.get("host"))):
                return await refuse(scope, receive, send, 403, SENTENCE)
        await self._app(scope, receive, send)


def is_own(origin: str, host: str | None) -> bool:
    """Whether `origin` is `http://host` or `https://host`, letter by letter, as Streamlit compares them too."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return bool(host) and found.scheme in ("http", "https") and origin == f"{found.scheme}://{host}"
