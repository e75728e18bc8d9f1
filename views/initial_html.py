"""Complete the HTML page that the server sends first, which is shown before any script has run.

Streamlit sends the same empty page for all paths, titled "Streamlit"; its content needs the scripts and an answer of
the server. Here the page gets its title, language, description and an outline; the home page also its default sentence
and the translation, once the server has made it, and *Attention* the maps of that sentence. (Preloading the scripts
that Streamlit requests later was tried: two cores are busy anyway, and all scripts came later.)
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import initial_html, navigation, palette, streamlit_internals
from .components import html_export
from .components.html_export import ComponentSnapshot
from .html import generated_tokens
from .text import catalogue, literal
from .text.catalogue import say
from .url_state import script
from .url_state.session_state import LANGUAGE, TEXT
from .viewer import built_files

# The content of a page before Streamlit runs: the default sentence, its translation, on some pages a component.

_TO = "fr"  # the language of translations

# The sentence in its box and the translation, where the page will have them. They remain until it has, or has an error,
# at most for 10 seconds from its first element on: that animation has a name of its own, so that it starts then.
_CONTENT = """<style>
@font-face {{font-family: "Source Sans"; font-weight: 100 900; src: url("{font}") format("woff2")}}
.first {{padding-top: 7.75rem}}
.first h1 {{padding-bottom: .2rem; margin: 0}}
.first label {{display: block; font-size: .875rem; height: 1.75rem}}
.first > div.box {{font-size: .875rem; line-height: 2.5rem; padding: 0 .8rem; margin: 0 0 1rem; border-radius: 4px;
  background: var(--box); overflow: hidden; text-overflow: ellipsis; white-space: nowrap}}
@keyframes first-may-leave {{to {{visibility: hidden}}}}
@media (min-width: 1200px) {{.first {{padding-top: 5rem}}}}
@media (max-width: 640px) {{.first {{padding-top: 8rem}}}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: block;
  animation: first-may-leave 0s 10s forwards}}
body:has([data-testid=stMain] :is([data-testid=stAlert], [data-testid=stException])) > .first {{display: none}}
</style><label>{label}</label><div{token} class="box" lang="en">{sentence}</div>{translation}{below}"""

# Below the translation: an outline, or a component, whose script removes all of this.
# The home page has its title, its purpose and its links in one line: see web/src/page/content.css.
_CONTENT_OUTLINE = f"""<style>
.first {{display: flex; flex-flow: row wrap; align-items: baseline; align-content: flex-start; gap: .5rem 1rem;
  padding-inline: 2.5rem}}
.first > * {{flex: 0 0 100%; box-sizing: border-box}}
.first h1 {{flex: 0 0 auto; font-size: 1.5rem; padding: 0}}
.first > p {{flex: 1 1 20rem; margin: 0; padding-right: 379px}}
.first > label {{display: none}}
.first > div.box {{margin: 0}}
.first > div:last-child {{height: 30rem; margin: 0}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: flex}}
@media (max-width: 863px) {{
  .first {{padding-inline: 1rem}}
  .first > p {{margin-bottom: 1.75rem; padding: 0}}
}}
@media (max-width: 640px) {{.first > p {{margin-top: -.5rem}}}}
body:has([data-testid=stMain] [lang={_TO}]):has([data-testid=stMain] input) > .first {{display: none}}
</style><div></div>"""
_VIEW = """<style>
.first {overflow: hidden}
.first > div.box {width: calc(62.5% - 1rem); box-sizing: border-box}
.first > section {margin: 1rem 0 0}
@media (max-width: 640px) {
  .first > div.box {width: auto; margin-bottom: 4.9375rem}
  .first > section {margin-top: 5rem}
}
</style>"""


@dataclass(frozen=True)
class InitialContent:
    """The default sentence of a page and its translation."""

    sentence: str
    translation: str
    view: ComponentSnapshot | None = None  # the component below the translation, on a page that begins with one
    # what the page opens with and then writes into its address
    settings: Mapping[str, str] = field(default_factory=dict)

    def is_for(self, query: dict[str, list[str]]) -> bool:
        """Whether the query of a request asks for this sentence and for no other setting but the language."""
        sentence = {TEXT: [self.sentence]}
        written = sentence | {name: [value] for name, value in self.settings.items()}
        return {name: values for name, values in query.items() if name != LANGUAGE} in ({}, sentence, written)


def content_html(content: InitialContent) -> str:
    """The content as HTML in the current language, for an element of the class `first`."""
    font = streamlit_internals.font_file()
    return _CONTENT.format(
        font=f"./static/media/{font.name}" if font else "",
        label=literal.html(say("sentence.label", "English sentence")),
        token=literal.TOKEN,
        sentence=literal.html(content.sentence),
        translation=generated_tokens.labelled_sentence(say("translation", "Translation"), content.translation, _TO),
        below=_VIEW + initial_html.component_html(content.view) if content.view else _CONTENT_OUTLINE,
    )


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
        elif requested := script.requested_script(scope["path"]) or requested_script(scope["path"]):
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


# Draw a component in the page that the server sends first, before Streamlit's scripts have loaded.
#
# The page contains its style and its payload; its script is a file, since the Content-Security-Policy forbids inline
# scripts, and browsers cache it. It draws the same as the page's own component, in the same place, and is removed once
# that is drawn. Until then it is inert: a selection in it would be lost.

NAMES = ("attention_grid",)  # of the components that can be drawn first

_ANY_PATH = re.compile(
    rf"/first-({'|'.join(NAMES)})-\w+\.js"
)  # during an update another version may have sent the page


def component_html(snapshot: ComponentSnapshot) -> str:
    """The component as HTML, to be placed in an element of the class `first`."""
    return f"""<style>
.first {{{html_export.colour_variables("light")}}}
@media (prefers-color-scheme: dark) {{.first {{{html_export.colour_variables("dark")}}}}}
.first {{--st-font: "Source Sans", sans-serif}}
</style>{html_export.section_html(snapshot, attributes=" inert")}<template>{html_export.root_html(snapshot)}</template>
<script src=".{path(snapshot.name)}"></script>"""


def requested_script(requested: str) -> tuple[str, str] | None:
    """The script for a requested path of any version of it, and its current path; else None."""
    match = _ANY_PATH.fullmatch(requested)
    return (source(match[1]), path(match[1])) if match else None


@cache
def source(name: str) -> str:
    """The script that draws the component called `name`, one of `NAMES`."""
    mount = built_files.embedding_script("initial")
    return f'(() => {{\n"use strict"\n{built_files.embedded_script(name)}\n{mount}}})()\n'


@cache
def path(name: str) -> str:
    """Path of that script; it changes with the content."""
    return f"/first-{name}-{hashlib.sha256(source(name).encode()).hexdigest()[:12]}.js"
