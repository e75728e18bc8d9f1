"""Refuse a request, or the handshake of a WebSocket, with a status and one sentence."""

import html

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

POLICY = 1008  # close code of a WebSocket: policy violation by the client
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{sentence}</title>
<style>:root {{color-scheme: light dark; font: 1.125rem/1.6 sans-serif}} body {{margin: 15vh auto; max-width: 36rem;
padding: 0 1rem}} h1 {{font-size: 1.5rem; line-height: 1.3}}</style></head>
<body><main><h1>{sentence}</h1><p><a href="/">Open the start page</a></p></main></body></html>
"""


async def refuse(
    scope: Scope, receive: Receive, send: Send, status: int, sentence: str, link_home: bool = False
) -> None:
    """Answer with `status` and `sentence`; a socket is refused before it is open.

    Args:
        link_home: a browser that opens a page gets a page, with a link to the start page; all else gets plain text.
    """
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": POLICY, "reason": sentence})
        return
    headers = {"Cache-Control": "no-store"}
    answer: Response = PlainTextResponse(sentence + "\n", status, headers=headers)
    if link_home and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
        answer = HTMLResponse(_PAGE.format(sentence=html.escape(sentence)), status, headers=headers)
    await answer(scope, receive, send)
