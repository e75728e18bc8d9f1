"""An ASGI app that records what reaches it, and requests to it without a server."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.coroutines import run_in_thread


class RecordingApp:
    """The app behind the middleware under test: answers every request, accepts every socket and reads it to the end."""

    def __init__(self) -> None:
        self.reached: list[Scope] = []
        self.received: list[Message] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope)
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"ALLOW")]})
            await send({"type": "http.response.body", "body": b"inside"})
            return
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            self.received.append(message)


def send_request(
    app: ASGIApp,
    path: str = "/",
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    kind: str = "http",
    frames: list[Message] | None = None,
    client: str = "192.0.2.7",
    denial: bool = True,
    method: str = "GET",
    query: bytes = b"",
) -> list[Message]:
    """The messages that `app` sends to one request, or to one socket on which `frames` arrive.

    Args:
        denial: whether the server can answer a handshake with a status and a text.
    """
    pairs = list(headers.items()) if isinstance(headers, dict) else headers or [("host", "localhost")]
    scope = {
        "type": kind,
        "path": path,
        "method": method,
        "query_string": query,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "client": (client, 50000),
        "extensions": {"websocket.http.response": {}} if denial and kind == "websocket" else {},
    }
    opening = {"type": "websocket.connect"} if kind == "websocket" else {"type": "http.request", "body": b""}
    arriving = [opening, *(frames or [])]
    sent: list[Message] = []

    async def receive() -> Message:
        return arriving.pop(0) if arriving else {"type": f"{kind}.disconnect", "code": 1000}

    async def send(message: Message) -> None:
        sent.append(message)

    run_in_thread(app(scope, receive, send))
    return sent


def status(sent: list[Message]) -> int:
    """The status of a response; 101 for a socket that was accepted, 0 for one that was closed without a status."""
    first = sent[0]
    return 101 if first["type"] == "websocket.accept" else first.get("status", 0)


def text(sent: list[Message]) -> str:
    """The body of a response."""
    return b"".join(message.get("body", b"") for message in sent).decode()
