"""Make the server limit each connection, before any request reaches the app, and keep its name to itself.

An ASGI app receives a request when its head is complete, and a message of a WebSocket when all of its frames are there.
So these limits are in the server's connections. Streamlit creates the server, and takes no option for their classes;
the first message that an app receives, at the start, comes from an object that has the server's configuration.
"""

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from server import logs, uvicorn_socket
from server.http_connection import LimitedHttpProtocol
from server.websocket_connection import LimitedWebSocketProtocol


class ConnectionLimits:
    """Replace the classes of uvicorn's connections by those with limits, when the server starts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" and not uvicorn_socket.limit_connections(
            receive, LimitedHttpProtocol, LimitedWebSocketProtocol
        ):
            logs.event("connections have no limits", logging.WARNING)
        await self._app(scope, receive, send)
