"""The page that the server sends first: what it shows before a script has run.

Streamlit sends one page for all addresses: it says "Streamlit", and nothing is in it until the scripts have come, run
and heard from the server. Here it is given the title, the language, what the page is for, and an outline of what will
come; on the home page also the sentence that it begins with and its translation, once the server has made it. (Naming
the scripts that Streamlit asks for later was tried: two cores are busy anyway, and all came later.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import page_frame, palette
from .address import script
from .address.visitor import LANGUAGE, TEXT
from .html import tokens
from .text import catalogue, literal
from .text.catalogue import say

_TO = "fr"  # the language of translations
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
@media (max-width: 640px) {{.first {{padding: {top}rem 1rem 0}}}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: none}}
</style><noscript><style>.first {{display: none}}</style></noscript>
<main class="first"><h1>{title}</h1><p>{about}</p>{answer}<div></div></main>"""

# The sentence in its box and the translation, where the page will have them. They stay until it has, for a second at
# most once its first element is there; that animation has a name of its own, so that the second begins then.
_ANSWER = """<style>
.first h1 {{padding-bottom: .2rem; margin: 0}}
.first label {{display: block; font-size: .875rem; height: 1.75rem}}
.first > div.box {{font-size: .875rem; line-height: 2.5rem; padding: 0 .8rem; margin: 0 0 1rem; border-radius: 4px;
  background: var(--box); overflow: hidden; text-overflow: ellipsis; white-space: nowrap}}
.first > div:last-child {{margin-top: 1rem}}
@keyframes first-may-leave {{to {{visibility: hidden}}}}
@media (min-width: 641px) {{.first > div:last-child {{width: 57.5%}}}}
.first {{padding-top: 7.75rem}}
@media (min-width: 1200px) {{.first {{padding-top: 5rem}}}}
@media (max-width: 640px) {{.first {{padding-top: 8.25rem}}}}
body:has([data-testid=stMain] [data-testid=stElementContainer]) > .first {{display: block;
  animation: first-may-leave 0s 1s forwards}}
body:has([data-testid=stMain] [lang={to}]):has([data-testid=stMain] input) > .first {{display: none}}
</style>{style}<label>{label}</label><div{token} class="box" lang="en">{sentence}</div>{translation}"""


@dataclass(frozen=True)
class Answer:
    """The sentence that the home page begins with, and its translation."""

    sentence: str
    translation: str

    def is_for(self, query: dict[str, list[str]]) -> bool:
        """Whether an address asks for this sentence, and for nothing that would change what is said of it."""
        return {name: values for name, values in query.items() if name != LANGUAGE} in ({}, {TEXT: [self.sentence]})


class FirstPage:
    """Middleware: gives every page of HTML what the module's first lines say, and serves `history.js`.

    Args:
        answer: the home page's, or None while it is not known; it must answer at once.

    A page keeps neither date nor tag, by which a browser could ask whether its copy of Streamlit's page still holds.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[], Answer | None] = lambda: None) -> None:
        self.app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_FILES):
            await self.app(scope, receive, send)
        elif script.ANY_PATH.fullmatch(scope["path"]):
            keep = "public, max-age=31536000, immutable" if scope["path"] == script.PATH else "no-store"
            answer = Response(script.SOURCE, media_type="text/javascript", headers={"Cache-Control": keep})
            await answer(scope, receive, send)
        else:
            plain = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
            headers = [(name, value) for name, value in scope["headers"] if name not in plain]
            name, query = scope["path"].strip("/"), parse_qs(scope["query_string"].decode("latin-1"), True)
            answer = None if name else self._answer()
            if answer and not answer.is_for(query):
                answer = None
            rewritten = rewriting(send, lambda page: dressed(page, name, _language(query, scope), answer))
            await self.app({**scope, "headers": headers}, receive, rewritten)


def rewriting(send: Send, rewrite: Callable[[str], str]) -> Send:
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


def dressed(page: str, name: str, language: str, answer: Answer | None = None) -> str:
    """Streamlit's page as the page called `name` begins with it, in `language`; the home page's name is empty."""
    place = next((place for place in page_frame.PAGES if place.id == name), page_frame.PAGES[0])
    with catalogue.speaking(language):
        title, about = literal.html(place.title()), literal.html(place())
        tab = literal.html(page_frame.tab_title(place))
        described = literal.html(say("page.description", "Look inside a trained Transformer while it works."))
        beginning = _beginning(answer) if answer else "<div></div>"
    # The themes of .streamlit/config.toml, of which Streamlit takes the one that the system has.
    colours = {}
    for theme, prefix in (("light", ""), ("dark", "dark_")):
        box, line = palette.SECONDARY[theme]
        told = {"ink": palette.INK[theme], "page": palette.BACKGROUND[theme], "box": box, "line": line}
        colours |= {prefix + name: colour for name, colour in told.items()}
    top = 5.75 + (2.75 if page_frame.section(place).name else 0)  # below the menu; on a wide screen that is one line
    outline = _OUTLINE.format(title=title, about=about, top=top, answer=beginning, **colours)
    changes = {
        "<head>": f"<head>{script.TAG}",
        '<html lang="en">': f'<html lang="{literal.html(language)}">',
        "<title>Streamlit</title>": f'<title>{tab}</title><meta name="description" content="{described}">',
        '<div id="root"></div>': f'<div id="root"></div>{outline}',
    }
    for found, replaced in changes.items():
        page = page.replace(found, replaced, 1)
    return page


def _beginning(answer: Answer) -> str:
    label = literal.html(say("sentence.label", "English sentence"))
    translation = tokens.labelled(say("translation", "Translation"), answer.translation, _TO)
    sentence = literal.html(answer.sentence)
    return _ANSWER.format(
        to=_TO, style=tokens.STYLE, label=label, token=literal.TOKEN, sentence=sentence, translation=translation
    )


def _language(query: dict[str, list[str]], scope: Scope) -> str:
    """The one that the address names, else the first that the browser asks for; see `settings.language`."""
    named = query.get(LANGUAGE, [""])[-1]
    wished = Headers(scope=scope).get("accept-language", "").partition(",")[0].partition(";")[0].strip()
    return named if named in catalogue.languages() else catalogue.nearest(wished)
