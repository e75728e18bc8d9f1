"""Refuse a request, or close a WebSocket, with a status and one sentence in the visitor's language."""

import html
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.base_path import base_path

POLICY = 1008  # close code of a WebSocket: policy violation by the client
LONGEST_REASON = 123  # bytes of a close frame's reason (RFC 6455, section 5.5)
_LANGUAGE = "atlas.language"  # key of a request's scope
_PAGE_QUERY = "atlas.page_query"  # likewise, of a socket's scope


@dataclass(frozen=True)
class Refusal:
    """The reason why a request is refused, one sentence; `tools/messages.py` collects them for translators."""

    english: str


Translate = Callable[[str], str]  # an English sentence -> the same in another language
RequestLanguage = Callable[[Scope], tuple[str, Translate]]  # a request -> its language, and what translates into it
_HOME = Refusal("Open the start page")
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{sentence}</title>
<style>:root {{color-scheme: light dark; font: 1.125rem/1.6 sans-serif}} body {{margin: 15vh auto; max-width: 36rem;
padding: 0 1rem}} h1 {{font-size: 1.5rem; line-height: 1.3}}</style></head>
<body><main><h1>{sentence}</h1><p><a href="{start}">{home}</a></p></main></body></html>
"""


class RefusalLanguage:
    """ASGI middleware that lets every refusal of a request be in its language; without it they are in English."""

    def __init__(self, app: ASGIApp, language: RequestLanguage) -> None:
        self._app, self._language = app, language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_LANGUAGE] = self._language
        await self._app(scope, receive, send)


def refusal_language(scope: Scope) -> tuple[str, Translate]:
    """The language of a request, and what translates sentences into it; of an open socket, that of its page."""
    known: RequestLanguage | None = scope.get(_LANGUAGE)
    if not known or scope["type"] not in ("http", "websocket"):
        return "en", str
    return known({**scope, "query_string": scope.get(_PAGE_QUERY, scope["query_string"])})


def note_page_query(scope: Scope, query: str) -> None:
    """Store the query of the page that a socket serves: the socket's own address has none."""
    scope[_PAGE_QUERY] = query.encode()


def close_reason(scope: Scope, refusal: Refusal) -> str:
    """The reason in a close frame; in English where the translation is too long for one."""
    reason = refusal_language(scope)[1](refusal.english)
    return reason if len(reason.encode()) <= LONGEST_REASON else refusal.english


async def refuse(
    scope: Scope, receive: Receive, send: Send, status: int, refusal: Refusal, link_home: bool = False
) -> None:
    """Answer with `status` and the sentence of `refusal`; a socket is refused before it is open.

    Args:
        link_home: a browser that opens a page gets a page, with a link to the start page; all else gets plain text.
    """
    language, translate = refusal_language(scope)
    sentence = translate(refusal.english)
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": POLICY, "reason": close_reason(scope, refusal)})
        return
    headers = {"Cache-Control": "no-store"}
    answer: Response = PlainTextResponse(sentence + "\n", status, headers=headers)
    if link_home and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
        words = {
            "sentence": sentence,
            "home": translate(_HOME.english),
            "language": language,
            "start": f"{base_path()}/",
        }
        page = _PAGE.format(**{name: html.escape(word) for name, word in words.items()})
        answer = HTMLResponse(page, status, headers=headers)
    await answer(scope, receive, send)
