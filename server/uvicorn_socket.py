"""Read a socket's peer address from uvicorn, and set the size limit of its incoming messages.

ASGI provides neither. `receive` is a method of uvicorn's protocol object, which has both; under another server there is
none, and callers have a fallback.
"""

from typing import Any

from starlette.types import Receive


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
