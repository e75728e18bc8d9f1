"""Refuse a request, or the handshake of a WebSocket, with a status and one sentence."""

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

POLICY = 1008  # close code of a WebSocket: policy violation by the client


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    """Answer with `status` and `sentence`; a socket is refused before it is open."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": POLICY, "reason": sentence})
        return
    answer = PlainTextResponse(sentence + "\n", status, headers={"Cache-Control": "no-store"})
    await answer(scope, receive, send)
