"""Scripts and style sheets are compressed for browsers that accept gzip, and otherwise unchanged."""

from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from server import static_files
from server.static_files import CompressedStaticFiles

STATIC = Path(streamlit.__file__).parent / "static" / "static"
SCRIPT = next(STATIC.glob("js/index.*.js"))
FONT = next(STATIC.glob("media/*.woff2"))


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/static/short.js", lambda request: PlainTextResponse("let a = 1")),
        Route("/passing.js", lambda request: PlainTextResponse("a" * 2000, headers={"Cache-Control": "no-store"})),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(CompressedStaticFiles)]))


def test_a_script_is_compressed_once_and_arrives_unchanged(client, monkeypatch):
    answer = client.get(f"/static/js/{SCRIPT.name}", headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["content-encoding"] == "gzip" and answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) < 0.4 * SCRIPT.stat().st_size
    assert answer.content == SCRIPT.read_bytes()
    monkeypatch.setattr(static_files.gzip, "compress", None)  # it is not called a second time
    assert client.get(f"/static/js/{SCRIPT.name}").content == SCRIPT.read_bytes()


def test_the_uncompressed_response_has_another_etag_and_varies_by_encoding(client):
    tag = client.get(f"/static/js/{SCRIPT.name}").headers["etag"]
    plain = client.get(f"/static/js/{SCRIPT.name}", headers={"Accept-Encoding": "identity"})
    assert tag == plain.headers["etag"].removesuffix('"') + '-gzip"'
    assert plain.content == SCRIPT.read_bytes() and "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/static/short.js", {}),
        ("/passing.js", {}),
        (f"/static/media/{FONT.name}", {}),
        (f"/static/js/{SCRIPT.name}", {"Range": "bytes=0-99"}),
        ("/static/js/no-such.js", {}),
    ],
)
def test_other_responses_are_not_compressed(client, path, headers):
    assert "content-encoding" not in client.get(path, headers=headers).headers
