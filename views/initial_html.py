"""The page that the server sends first: what it shows before a script has run.

Streamlit sends one page for all addresses: it says "Streamlit", and nothing is in it until the scripts have come, run
and heard from the server. Here it is given the title, the language, what the page is for, and an outline of what will
come; on the home page also the sentence that it begins with and its translation, once the server has made it, and on
*Attention* the maps of that sentence. (Naming the scripts that Streamlit asks for later was tried: two cores are busy
anyway, and all came later.)
"""

from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import initial_component, navigation, palette
from .initial_content import InitialContent, content_html
from .text import catalogue, literal
from .text.catalogue import say
from .url_state import script
from .url_state.session_state import LANGUAGE

_FILES = ("/static/", "/_stcore/", "/media/")  # below them there is no page of HTML

# It lies over the page until the first element is there, or for as long as anybody would wait for one.
_OUTLINE = """<style>
.first {{position: fixed; inset: 0; z-index: 1; box-sizing: border-box; padding: {top}rem 5rem 0; pointer-events: none;
  font: 1rem/1.6 "Source Sans", sans-serif; color: {ink}; background: {page}; --box: {box}; --line: {line};
  animation: first-leaves 0s 30s forwards}}
.first h1 {{font-size: 1.9rem; font-weight: 600; line-height: 1.2; margin: 0 0 1rem}}
.first > p {{margin: 0 0 1rem}}
.first > div:not([class]) {{height: 2.5rem; margin: 0 0 1.5rem; border-radius: 4px; background: var(--box);
  border: 1px solid var(--line)}}
.first > div:last-child {{height: 22rem}}
@keyframes first-leaves {{to {{visibility: hidden}}}}
@media (prefers-color-scheme: dark) {{.first {{color: {dark_ink}; background: {dark_page};
  --box: {dark_box}; --line: {dark_line}}}}}
@media (min-width: 1200px) {{.first {{padding-top: 5.75rem}}}}
@media (max-width: 863px) {{.first {{padding: {top}rem 1rem 0}}}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: none}}
</style><noscript><style>.first {{display: none}}</style></noscript>
<main class="first"><h1>{title}</h1><p>{lead}</p>{begins}</main>"""


class InitialHtmlMiddleware:
    """Middleware: gives every page of HTML what the module's first lines say, and serves the scripts that it names.

    Args:
        answer: what the page of a name begins with, "" for the home page, in the language that is spoken; None where
            it begins with nothing, and while it is not known. It must answer at once.

    A page keeps neither date nor tag, by which a browser could ask whether its copy of Streamlit's page still holds.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[str], InitialContent | None] = lambda page: None) -> None:
        self.app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_FILES):
            await self.app(scope, receive, send)
        elif found := script.requested_script(scope["path"]) or initial_component.requested_script(scope["path"]):
            source, own = found
            keep = "public, max-age=31536000, immutable" if scope["path"] == own else "no-store"
            served = Response(source, media_type="text/javascript", headers={"Cache-Control": keep})
            await served(scope, receive, send)
        else:
            plain = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
            headers = [(name, value) for name, value in scope["headers"] if name not in plain]
            name, query = scope["path"].strip("/"), parse_qs(scope["query_string"].decode("latin-1"), True)
            language = _language(query, scope)
            with catalogue.using_language(language):
                answer = self._answer(name)
            if answer and not answer.is_for(query):
                answer = None
            rewritten = rewriting_send(send, lambda page: initial_page(page, name, language, answer))
            await self.app({**scope, "headers": headers}, receive, rewritten)


def rewriting_send(send: Send, rewrite: Callable[[str], str]) -> Send:
    """`send`, which holds HTML until all of it is there; `rewrite` makes it anew."""
    start: Message = {}  # of HTML
    body = bytearray()

    async def rewritten(message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            if message["status"] == 200 and kind.startswith("text/html"):
                start.update(message)
                return
        elif start and message["type"] == "http.response.body":
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            whole = rewrite(body.decode()).encode()
            headers = MutableHeaders(scope=start)
            headers["content-length"] = str(len(whole))
            for name in ("etag", "last-modified", "accept-ranges"):
                del headers[name]
            await send(start)
            message = {"type": "http.response.body", "body": whole}
        await send(message)

    return rewritten


def initial_page(page: str, name: str, language: str, answer: InitialContent | None = None) -> str:
    """Streamlit's page as the page called `name` begins with it, in `language`; the home page's name is empty."""
    place = next((place for place in navigation.PAGES if place.id == name), navigation.PAGES[0])
    with catalogue.using_language(language):
        title, lead = literal.html(place.title()), literal.html(answer and answer.lead or place())
        tab = literal.html(navigation.tab_title(place))
        described = literal.html(say("page.description", "Look inside a trained Transformer while it works."))
        begins = content_html(answer) if answer else "<div></div>" * 2
    # The themes of .streamlit/config.toml, of which Streamlit takes the one that the system has.
    colours = {}
    for theme, prefix in (("light", ""), ("dark", "dark_")):
        box, line = palette.SECONDARY[theme]
        told = {"ink": palette.INK[theme], "page": palette.BACKGROUND[theme], "box": box, "line": line}
        colours |= {prefix + name: colour for name, colour in told.items()}
    top = 5.75 + (2.75 if navigation.section_of(place).name else 0)  # below the menu; on a wide screen that is one line
    outline = _OUTLINE.format(title=title, lead=lead, top=top, begins=begins, **colours)
    changes = {
        "<head>": f"<head>{script.TAG}",
        '<html lang="en">': f'<html lang="{literal.html(language)}">',
        "<title>Streamlit</title>": f'<title>{tab}</title><meta name="description" content="{described}">',
        '<div id="root"></div>': f'<div id="root"></div>{outline}',
    }
    for found, replaced in changes.items():
        page = page.replace(found, replaced, 1)
    return page


def _language(query: dict[str, list[str]], scope: Scope) -> str:
    """The one that the address names, else the first that the browser asks for; see `settings.language`."""
    named = query.get(LANGUAGE, [""])[-1]
    wished = Headers(scope=scope).get("accept-language", "").partition(",")[0].partition(";")[0].strip()
    return named if named in catalogue.languages() else catalogue.nearest_language(wished)
