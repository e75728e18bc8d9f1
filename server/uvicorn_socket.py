"""What only uvicorn knows of a socket: who is at its other end, and how large a message may grow while it arrives.

The ASGI protocol has no word for either. `receive` is a method of uvicorn's protocol object, from which they are read;
under another server nothing is found, and whoever asks has another way.
"""

from starlette.types import Receive


def peer(receive: Receive) -> str | None:
    """The address at the other end, whatever headers say: uvicorn believes those of proxies on the same machine."""
    client = getattr(getattr(receive, "__self__", None), "client", None)
    return client[0] if client else None


def limit_message(receive: Receive, size: int) -> None:
    """Have messages of more than `size` bytes refused as soon as they say how long they are, not when they are there.

    To be called before anything has been received. Where it cannot be, the size must be looked at afterwards.
    uvicorn's own limit is `server.maxMessageSize`, which holds for what Streamlit sends too and must be large.
    """
    connection = getattr(getattr(receive, "__self__", None), "conn", None)
    if hasattr(connection, "max_message_size"):
        connection.max_message_size = size
