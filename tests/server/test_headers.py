"""The security headers of every response: each once, and a policy that fits the served page."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from server.headers import EXCEPTION_HANDLERS, HEADERS, SecurityHeaders
from tests.coroutines import run_in_thread
from tests.server.asgi import RecordingApp, send_request


def headers_of(sent: list[dict]) -> list[tuple[str, str]]:
    return [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


def test_every_header_is_sent_once_and_overrides_the_app_s():
    headers = headers_of(send_request(SecurityHeaders(RecordingApp())))  # the app behind it allows frames
    names = [name for name, _ in headers]
    assert sorted(names) == sorted({name.lower() for name in [*HEADERS, "Content-Security-Policy"]})
    assert dict(headers)["x-frame-options"] == "DENY"


def test_only_features_that_browsers_know_are_named():
    """Chromium warns of others on every page; `tests/browser` reads its console."""
    assert "web-share" not in HEADERS["Permissions-Policy"]
    assert "microphone=()" in HEADERS["Permissions-Policy"]


@pytest.mark.parametrize(
    ("path", "cacheable"),
    [("/media/a.png", False), ("/_stcore/upload_file/a/b", False), ("/", True), ("/static/a.js", True)],
)
def test_visitors_files_are_not_cached(path: str, cacheable: bool):
    headers = dict(headers_of(send_request(SecurityHeaders(RecordingApp()), path)))
    assert headers.get("cache-control") == (None if cacheable else "no-store")


def test_the_policy_allows_the_inline_script_of_the_installed_streamlit_and_no_other():
    page = (Path(streamlit.__file__).parent / "static/index.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == page.count("<script>") == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = dict(headers_of(send_request(SecurityHeaders(RecordingApp()))))["content-security-policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["script-src"] == f"'self' blob: 'wasm-unsafe-eval' 'sha256-{digest}'"
    assert directives["default-src"] == directives["frame-ancestors"] == directives["form-action"] == "'none'"


def test_a_server_error_has_the_headers_and_no_details():
    async def broken(request):
        raise RuntimeError("/secret/place")

    middleware = [Middleware(SecurityHeaders)]
    app = Starlette(routes=[Route("/", broken)], middleware=middleware, exception_handlers=EXCEPTION_HANDLERS)
    sent: list[dict] = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.disconnect"}

    scope = {"type": "http", "path": "/", "method": "GET", "query_string": b"", "headers": [(b"host", b"localhost")]}
    with pytest.raises(RuntimeError):  # for the log
        run_in_thread(app(scope, receive, send))
    assert sent[0]["status"] == 500
    headers = dict(headers_of(sent))
    assert HEADERS.items() <= {name: headers.get(name.lower()) for name in HEADERS}.items()
    assert sent[1]["body"] == b"Something went wrong in this server: please reload the page.\n"
