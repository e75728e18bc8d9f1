"""The route of the built files: caching, unknown files, and one compression."""

from __future__ import annotations

import gzip

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.testclient import TestClient

from server.static_files import CompressedStaticFiles
from server.viewer_files import FOREVER, viewer_route

SCRIPT = "export default 1\n" * 200
FILES = {"a-1.js": (SCRIPT, True), "old-1.js": ("location.reload()", False)}


def client() -> TestClient:
    """A client of an app that compresses every answer itself, as Streamlit's does."""
    middleware = [Middleware(CompressedStaticFiles), Middleware(GZipMiddleware)]
    return TestClient(Starlette(routes=[viewer_route("/viewer/", FILES.get)], middleware=middleware))


def test_a_file_is_stored_for_ever():
    answer = client().get("/viewer/a-1.js")
    assert answer.text == SCRIPT and answer.headers["cache-control"] == FOREVER
    assert answer.headers["content-type"].startswith("text/javascript")


def test_an_answer_is_compressed_once():
    with client().stream("GET", "/viewer/a-1.js", headers={"accept-encoding": "gzip"}) as answer:
        content = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(content).decode() == SCRIPT


def test_what_replaces_a_file_of_another_version_is_not_stored():
    answer = client().get("/viewer/old-1.js")
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"


def test_an_unknown_file_is_not_found():
    for path in ("/viewer/b-1.js", "/viewer/", "/viewer/a-1.js/more"):
        assert client().get(path).status_code == 404
