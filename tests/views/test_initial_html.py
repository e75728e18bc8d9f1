"""Every HTML page is completed by `views.initial_html`; its first script is served by this app."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from views import initial_html, navigation, streamlit_words
from views.components.html_export import ComponentSnapshot
from views.initial_html import InitialContent
from views.text import catalogue
from views.url_state import script
from views.url_state.session_state import MOVED, SHARED

PAGE = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


def page(request) -> Response:
    return HTMLResponse(PAGE, headers={"ETag": "1", "Last-Modified": "now", "Cache-Control": "no-cache"})


def parts(request) -> Response:
    return StreamingResponse((PAGE[place : place + 7] for place in range(0, len(PAGE), 7)), media_type="text/html")


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/", page),
        Route("/vision", page),
        Route("/parts", parts),
        Route("/text", lambda request: PlainTextResponse(PAGE, headers={"ETag": "1"})),
        Route("/gone", lambda request: HTMLResponse(PAGE, 404)),
        Route("/static/page.html", page),
    ]
    middleware = [Middleware(initial_html.InitialHtmlMiddleware), Middleware(GZipMiddleware)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


@pytest.mark.parametrize("path", ["/", "/parts"])
def test_a_page_names_the_script_first(client, path):
    answer = client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": "1"})
    names = ("shared", "moved", "charts", "charted", "entered", "waiting", "late", "words")
    attributes = "".join(f' data-{name}="([^"]*)"' for name in names)
    tag = re.search(rf'<head><script src="\.(/history-\w+\.js)"{attributes}></script>', answer.text)
    assert tag[2].split() == list(SHARED)
    assert tag[3] == MOVED
    assert (Path(streamlit.__file__).parent / "static" / tag[4]).is_file()
    assert tag[5].split() == list(script.CHARTED)
    assert tag[6].split(" ") == list(script.ENTERED)
    waiting, late, words = (json.loads(html.unescape(text)) for text in tag.groups()[6:])
    assert waiting["en"] == "The server does not answer: this page goes on by itself as soon as it does."
    assert late["en"] == "Answers take long: press Enter at the end of the sentence."
    assert words == streamlit_words.replaced()
    for texts in (waiting, late):
        assert [*texts] == [*catalogue.offered_languages()] and len({*texts.values()}) == len(texts) > 1
    assert answer.text == initial_html.initial_page(PAGE, "", "en")
    assert "etag" not in answer.headers and "last-modified" not in answer.headers
    assert int(answer.headers["content-length"]) == len(answer.content)
    served = client.get(tag[1])
    assert served.text == script.SOURCE and served.headers["content-type"].startswith("text/javascript")
    assert "immutable" in served.headers["cache-control"]
    older = client.get("/history-0123456789ab.js")
    assert (older.text, older.headers["cache-control"]) == (script.SOURCE, "no-store")


def test_all_pages_with_a_chart_are_listed():
    pages = Path(__file__).parents[2] / "pages"
    drawing = re.compile(r"\b(plotly_chart|matrix_chart|chart|line_chart)\(")
    charted = {path.parent.name for path in pages.glob("*/*.py") if drawing.search(path.read_text(encoding="utf-8"))}
    assert charted - {"shared"} == set(script.CHARTED)


@pytest.mark.parametrize("path", ["/text", "/gone", "/static/page.html"])
def test_other_responses_are_not_changed(client, path):
    assert client.get(path).text == PAGE
    if path == "/text":
        assert client.get(path).headers["etag"] == "1"


def test_only_html_pages_are_rewritten(client):
    assert client.head("/").headers["etag"] == "1"
    assert client.post("/").status_code == 405


@pytest.mark.parametrize("place", navigation.PAGES, ids=lambda place: place.id)
def test_a_page_contains_its_title_and_description(place):
    name = "" if place is navigation.PAGES[0] else place.id
    page = initial_html.initial_page(PAGE, name, "en")
    tab = navigation.NAME if not name else f"{place.title()} \u00b7 {navigation.NAME}"
    assert re.findall("<title>(.*?)</title>", page) == [tab]
    outline = page.split('<div id="root"></div>')[1]
    assert f"<h1>{place.title()}</h1><p>{html.escape(place.lead())}</p>" in outline
    assert re.search(r'<meta name="description" content="[A-Z][^"]+\.">', page)


ANSWER = InitialContent("<b>Where</b> {is} he?", "O\u00f9 est-il <i>?")
VIEW = replace(ANSWER, view=ComponentSnapshot("attention_grid", "grid-root", b"\0<!--", {"head": "1"}, ""))


SAME = "text=%3Cb%3EWhere%3C%2Fb%3E+%7Bis%7D+he%3F"


@pytest.mark.parametrize("query", ["", "?lang=en", f"?{SAME}", f"?lang=en&{SAME}"])
def test_home_begins_with_the_translation_once_it_is_computed(query):
    known = []
    app = Starlette(
        routes=[Route("/", page), Route("/vision", page)],
        middleware=[
            Middleware(
                initial_html.InitialHtmlMiddleware, content=lambda page: known[-1] if known and not page else None
            )
        ],
    )
    client = TestClient(app)
    assert client.get(f"/{query}").text == initial_html.initial_page(
        PAGE, "", "en"
    )  # the translator is still being loaded
    known.append(ANSWER)
    answer = client.get(f"/{query}").text
    assert answer == initial_html.initial_page(PAGE, "", "en", ANSWER)
    assert 'class="box" lang="en">&lt;b&gt;Where&lt;/b&gt; {is} he?</div>' in answer
    assert re.search(r'<p[^>]* lang="fr"[^>]*>O\u00f9 est-il &lt;i&gt;\?</p>', answer)
    for address in ("/?text=Where", "/?text=", f"/?text=Where&{SAME}", f"/?{SAME}&method=beam", f"/vision?{SAME}"):
        assert 'lang="fr"' not in client.get(address).text


def test_a_page_can_begin_with_a_component():
    """Its script is a file of its own, since inline scripts are forbidden."""
    client = TestClient(
        Starlette(
            routes=[Route("/vision", page)],
            middleware=[Middleware(initial_html.InitialHtmlMiddleware, content=lambda page: VIEW)],
        )
    )
    answer = client.get("/vision").text
    assert answer == initial_html.initial_page(PAGE, "vision", "en", VIEW)
    vision = next(place for place in navigation.PAGES if place.id == "vision")
    outline = answer.split('<main class="first">')[1]
    assert outline.startswith(f"<h1>Vision</h1><p>{html.escape(vision.lead())}</p>")
    assert "<section inert>" in outline
    served = client.get(re.search(r'<script src="\.(/first-attention_grid-\w+\.js)"></script>', outline)[1])
    assert served.text == initial_html.source("attention_grid") and "immutable" in served.headers["cache-control"]
    older = client.get("/first-attention_grid-0123456789ab.js")
    assert (older.text, older.headers["cache-control"]) == (served.text, "no-store")
    assert client.get("/first-shared-0123456789ab.js").status_code == 404


def test_the_language_is_that_of_the_url_or_the_browser(client, monkeypatch):
    monkeypatch.setenv(catalogue.PSEUDO_SWITCH, "1")
    catalogue.languages.cache_clear()
    for answer, language in (
        (client.get("/vision"), "en"),
        (client.get("/vision?lang=en-xa"), "en-xa"),
        (client.get("/vision", headers={"Accept-Language": "en-XA;q=0.8, en"}), "en-xa"),
        (client.get("/vision?lang=en", headers={"Accept-Language": "en-XA"}), "en"),
        (client.get("/vision?lang=%22%3E%3Cscript%3E"), "en"),
    ):
        assert f'<html lang="{language}">' in answer.text
        assert ("<h1>\u27e6Vision\u27e7</h1>" in answer.text) == (language == "en-xa")
    monkeypatch.delenv(catalogue.PSEUDO_SWITCH)
    catalogue.languages.cache_clear()
