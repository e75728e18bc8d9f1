"""The names that this server answers to, for every address that it has.

Streamlit looks at `server.allowedHosts` when a socket opens and nowhere else, so that a foreign name which is made to
point here could still be used to read pages, pictures and metrics.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server.refusals import REFUSABLE, refuse
from server.streamlit_inside import is_host_allowed

SENTENCE = "This server does not go by that name: open the site by the address that its operator gave you."


class OwnNames:
    """Refuse whatever calls the server by a name that is not in `server.allowedHosts`, or by none, or by two."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in REFUSABLE:
            names = Headers(scope=scope).getlist("host")
            if len(names) != 1 or not is_host_allowed(names[0]):
                return await refuse(scope, receive, send, 421, SENTENCE)
        await self._app(scope, receive, send)
