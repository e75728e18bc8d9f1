"""Read a socket's peer address from uvicorn, and set limits of its connections.

ASGI provides neither. `receive` is a method of uvicorn's protocol object, or of the one that starts the app, which has
the configuration; under another server there is none, and callers have a fallback.
"""

from asyncio import Protocol
from typing import Any

from starlette.types import Receive

SERVER_NAME = (b"server", b"uvicorn")  # the header that uvicorn adds to every response


def peer(receive: Receive) -> str | None:
    """The address of the other end, regardless of headers: uvicorn trusts those of proxies on the same machine."""
    client = getattr(getattr(receive, "__self__", None), "client", None)
    return client[0] if client else None


def limit_message(receive: Receive, size: int) -> None:
    """Refuse messages of more than `size` bytes by the length in their frame's header, before they have arrived.

    To be called before anything is received. Under another server the caller must check the size of each message.
    uvicorn's own limit is `server.maxMessageSize`, which also applies to what Streamlit sends and must be large.
    """
    connection: Any = getattr(getattr(receive, "__self__", None), "conn", None)
    if hasattr(connection, "max_message_size"):
        connection.max_message_size = size


async def until_writable(receive: Receive) -> None:
    """Wait until the other end has read nearly everything that was sent; return at once under another server."""
    writable: Any = getattr(getattr(receive, "__self__", None), "writable", None)
    if writable is not None:
        await writable.wait()


def abort(receive: Receive) -> None:
    """Drop the connection without sending what the other end has not read; do nothing under another server."""
    transport: Any = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()


def limit_connections(receive: Receive, http: type[Protocol], websocket: type[Protocol]) -> bool:
    """Use these classes for all connections, and send no header that names the server; whether it can be done.

    To be called with the `receive` of the lifespan, before the server accepts connections. The classes must extend
    those that are configured: other ones are left as they are.
    """
    config: Any = getattr(getattr(receive, "__self__", None), "config", None)
    configured = [getattr(config, name, None) for name in ("http_protocol_class", "ws_protocol_class")]
    if not all(
        isinstance(base, type) and issubclass(limited, base)
        for base, limited in zip(configured, (http, websocket), strict=True)
    ):
        return False
    config.http_protocol_class, config.ws_protocol_class = http, websocket
    config.encoded_headers = [header for header in config.encoded_headers if header != SERVER_NAME]
    return True
