"""The headers of every answer: each once, and a policy that fits the page which is served."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from server.headers import FAULTS, HEADERS, SafetyHeaders
from tests.elsewhere import run_elsewhere
from tests.server.asgi import Inside, ask


def headers_of(sent: list[dict]) -> list[tuple[str, str]]:
    return [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


def test_every_header_is_there_once_whatever_the_app_says():
    found = headers_of(ask(SafetyHeaders(Inside())))  # the app behind it allows frames
    names = [name for name, _ in found]
    assert sorted(names) == sorted({name.lower() for name in [*HEADERS, "Content-Security-Policy"]})
    assert dict(found)["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/media/a.png", False), ("/_stcore/upload_file/a/b", False), ("/", True), ("/static/a.js", True)],
)
def test_a_person_s_pictures_are_kept_by_nobody(path: str, kept: bool):
    found = dict(headers_of(ask(SafetyHeaders(Inside()), path)))
    assert found.get("cache-control") == (None if kept else "no-store")


def test_the_policy_allows_the_inline_script_of_the_installed_streamlit_and_no_other():
    page = (Path(streamlit.__file__).parent / "static/index.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == page.count("<script>") == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    found = dict(headers_of(ask(SafetyHeaders(Inside()))))["content-security-policy"]
    directives = dict(part.strip().split(" ", 1) for part in found.split(";"))
    assert directives["script-src"] == f"'self' blob: 'wasm-unsafe-eval' 'sha256-{digest}'"
    assert directives["default-src"] == directives["frame-ancestors"] == directives["form-action"] == "'none'"


def test_an_error_of_the_server_has_them_too_and_says_nothing_of_it():
    async def broken(request):
        raise RuntimeError("/secret/place")

    outside = [Middleware(SafetyHeaders)]
    app = Starlette(routes=[Route("/", broken)], middleware=outside, exception_handlers=FAULTS)
    sent: list[dict] = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.disconnect"}

    scope = {"type": "http", "path": "/", "method": "GET", "query_string": b"", "headers": [(b"host", b"localhost")]}
    with pytest.raises(RuntimeError):  # for the log
        run_elsewhere(app(scope, receive, send))
    assert sent[0]["status"] == 500
    found = dict(headers_of(sent))
    assert HEADERS.items() <= {name: found.get(name.lower()) for name in HEADERS}.items()
    assert sent[1]["body"] == b"Something went wrong in this server: please reload the page.\n"
