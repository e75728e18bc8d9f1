"""The script is in every page of HTML, before Streamlit's own, and comes from this app."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from views.address import script
from views.address.visitor import MOVED, SHARED

PAGE = "<!DOCTYPE html><html><head><title>x</title><script type=module src=./a.js></script></head>" + " " * 2000


def page(request) -> Response:
    return HTMLResponse(PAGE, headers={"ETag": "1", "Last-Modified": "now", "Cache-Control": "no-cache"})


def parts(request) -> Response:
    return StreamingResponse((PAGE[place : place + 7] for place in range(0, len(PAGE), 7)), media_type="text/html")


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/", page),
        Route("/parts", parts),
        Route("/text", lambda request: PlainTextResponse(PAGE, headers={"ETag": "1"})),
        Route("/gone", lambda request: HTMLResponse(PAGE, 404)),
        Route("/static/page.html", page),
    ]
    middleware = [Middleware(script.HistoryScript), Middleware(GZipMiddleware)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


@pytest.mark.parametrize("path", ["/", "/parts"])
def test_a_page_names_the_script_first(client, path):
    answer = client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": "1"})
    tag = re.search(
        r'<head><script src="\.(/history-\w+\.js)" data-shared="([^"]+)" data-moved="([^"]+)"></script>', answer.text
    )
    assert tag[2].split() == list(SHARED)
    assert tag[3] == MOVED
    assert answer.text.replace(tag[0], "<head>") == PAGE
    assert "etag" not in answer.headers and "last-modified" not in answer.headers
    assert int(answer.headers["content-length"]) == len(answer.content)
    served = client.get(tag[1])
    assert served.text == script.SOURCE and served.headers["content-type"].startswith("text/javascript")
    assert "immutable" in served.headers["cache-control"]
    older = client.get("/history-0123456789ab.js")
    assert (older.text, older.headers["cache-control"]) == (script.SOURCE, "no-store")


@pytest.mark.parametrize("path", ["/text", "/gone", "/static/page.html"])
def test_whatever_else_is_sent_stays_as_it_is(client, path):
    assert client.get(path).text == PAGE
    if path == "/text":
        assert client.get(path).headers["etag"] == "1"


def test_only_pages_are_rewritten(client):
    assert client.head("/").headers["etag"] == "1"
    assert client.post("/").status_code == 405
