"""Complete the HTML page that the server sends first, which is shown before any script has run.

Streamlit sends the same empty page for all paths, titled "Streamlit"; its content needs the scripts and an answer of
the server. Here the page gets its title, language, description and an outline; the home page also its default sentence
and the translation, once the server has made it, and *Attention* the maps of that sentence. (Preloading the scripts
that Streamlit requests later was tried: two cores are busy anyway, and all scripts came later.)
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

_FILES = ("/static/", "/_stcore/", "/media/", "/viewer/")  # below these paths there are no HTML pages

# It covers the page until the first element is there, for 30 seconds at most.
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
    """ASGI middleware that completes every HTML page and serves the scripts that it names.

    Args:
        content: returns the initial content of the page with an id, "" for the home page, in the current language; None
            if it has none, or while it is not computed. It must not block.

    Pages are sent without date and entity tag, so that browsers do not revalidate a cached copy of Streamlit's page.
    """

    def __init__(self, app: ASGIApp, content: Callable[[str], InitialContent | None] = lambda page: None) -> None:
        self.app = app
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_FILES):
            await self.app(scope, receive, send)
        elif requested := script.requested_script(scope["path"]) or initial_component.requested_script(scope["path"]):
            source, current_path = requested
            caching = "public, max-age=31536000, immutable" if scope["path"] == current_path else "no-store"
            response = Response(source, media_type="text/javascript", headers={"Cache-Control": caching})
            await response(scope, receive, send)
        else:
            dropped = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
            headers = [(name, value) for name, value in scope["headers"] if name not in dropped]
            name, query = scope["path"].strip("/"), _query(scope)
            language = _language(query, scope)
            with catalogue.using_language(language):
                content = self._content(name)
            if content and not content.is_for(query):
                content = None
            rewriting = rewriting_send(send, lambda page: initial_page(page, name, language, content))
            await self.app({**scope, "headers": headers}, receive, rewriting)


def rewriting_send(send: Send, rewrite: Callable[[str], str]) -> Send:
    """A `send` that collects an HTML response, applies `rewrite` to it and sends the result."""
    start: Message = {}  # of an HTML response
    body = bytearray()

    async def rewriting(message: Message) -> None:
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

    return rewriting


def initial_page(html: str, name: str, language: str, content: InitialContent | None = None) -> str:
    """Streamlit's `html` completed for the page with the id `name`, in `language`; the home page's name is empty."""
    page = next((page for page in navigation.PAGES if page.id == name), navigation.PAGES[0])
    with catalogue.using_language(language):
        title, lead = literal.html(page.title()), literal.html(page.lead())
        tab = literal.html(navigation.tab_title(page))
        description = literal.html(say("page.description", "Look inside a trained Transformer while it works."))
        begins = content_html(content) if content else "<div></div>" * 2
        scripts = script.tag()
    # The themes of .streamlit/config.toml; Streamlit uses the one that the system prefers.
    colours: dict[str, str] = {}
    themes: tuple[tuple[palette.Theme, str], ...] = (("light", ""), ("dark", "dark_"))
    for theme, prefix in themes:
        box, line = palette.SECONDARY[theme]
        values = {"ink": palette.INK[theme], "page": palette.BACKGROUND[theme], "box": box, "line": line}
        colours |= {prefix + name: colour for name, colour in values.items()}
    top = 5.75 + (2.75 if navigation.section_of(page).name else 0)  # below the menu; on a wide screen that is one line
    outline = _OUTLINE.format(title=title, lead=lead, top=top, begins=begins, **colours)
    changes = {
        "<head>": f"<head>{scripts}",
        '<html lang="en">': f'<html lang="{literal.html(language)}">',
        "<title>Streamlit</title>": f'<title>{tab}</title><meta name="description" content="{description}">',
        '<div id="root"></div>': f'<div id="root"></div>{outline}',
    }
    for old, new in changes.items():
        html = html.replace(old, new, 1)
    return html


def language_of_request(scope: Scope) -> tuple[str, Callable[[str], str]]:
    """The language of a request, and what translates the server's own sentences into it, such as its refusals."""
    language = _language(_query(scope), scope)

    def translate(english: str) -> str:
        with catalogue.using_language(language):
            return catalogue.say_sentence(english)

    return language, translate


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope["query_string"].decode("latin-1"), True)


def _language(query: dict[str, list[str]], scope: Scope) -> str:
    """The language in the URL, else the first that the browser asks for; see `bound_settings.language`."""
    code = query.get(LANGUAGE, [""])[-1]
    preferred = Headers(scope=scope).get("accept-language", "").partition(",")[0].partition(";")[0].strip()
    return code if code in catalogue.languages() else catalogue.nearest_language(preferred)
