"""An answer that refuses: a status and one plain sentence, to a request and to the handshake of a socket alike."""

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

POLICY = 1008  # the code of a WebSocket that is closed because of what its client did


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    """Answer with `status` and `sentence`; a socket is refused before it is open."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": POLICY, "reason": sentence})
        return
    answer = PlainTextResponse(sentence + "\n", status, headers={"Cache-Control": "no-store"})
    await answer(scope, receive, send)
