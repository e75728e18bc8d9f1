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

from server.headers import EMBED, EXCEPTION_HANDLERS, HEADERS, SecurityHeaders, embedding_sites, for_frames
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


LMS = "https://lms.example.edu"


def sent_headers(*arguments) -> list[tuple[str, str]]:
    sent = send_request(SecurityHeaders(RecordingApp(), *arguments))
    return [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


@pytest.mark.parametrize(
    ("setting", "sites"),
    [
        ("", ()),
        (" , ", ()),
        (LMS, (LMS,)),
        (f"{LMS} https://a.b:8443,https://x-1.example", (LMS, "https://a.b:8443", "https://x-1.example")),
        (f"HTTPS://LMS.Example.edu {LMS}", (LMS,)),
        ("http://localhost:9000 http://127.0.0.1:80", ("http://localhost:9000", "http://127.0.0.1:80")),
    ],
)
def test_sites_are_read(setting: str, sites: tuple[str, ...]):
    assert embedding_sites(setting) == sites


@pytest.mark.parametrize(
    "setting",
    [
        "*",
        "'self'",
        "lms.example.edu",
        "https://",
        "https://*",
        "https://*.example.edu",
        "http://lms.example.edu",
        "https://lms.example.edu/",
        "https://lms.example.edu/course?id=1",
        "https://user@lms.example.edu",
        "https://lms.example.edu:0",
        "https://lms.example.edu:99999",
        "https://lms.example.edu;script-src",
        "https://-a.example",
        "https://a..example",
        "data:",
        "https://lms.example.edu\nX-Evil:1",
        "https://\u0435xample.edu",
    ],
)
def test_anything_else_is_refused_with_one_sentence(setting: str, monkeypatch):
    monkeypatch.setenv(EMBED, setting)
    with pytest.raises(ValueError, match=rf"^{EMBED} contains .+ and spaces between several\.$"):
        SecurityHeaders(RecordingApp())


def test_by_default_no_site_may_frame_the_app(monkeypatch):
    monkeypatch.delenv(EMBED, raising=False)
    headers = dict(sent_headers())
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


def test_listed_sites_may(monkeypatch):
    monkeypatch.setenv(EMBED, f"{LMS} https://other.example")
    names = [name for name, _ in sent_headers()]
    assert dict(sent_headers())["content-security-policy"].endswith(
        f"frame-ancestors 'self' {LMS} https://other.example"
    )
    assert "x-frame-options" not in names


@pytest.mark.parametrize(
    ("cookie", "changed"),
    [
        ("a=1", "a=1"),
        ("_streamlit_xsrf=2|x|y|3; Path=/; SameSite=Lax", "_streamlit_xsrf=2|x|y|3; Path=/"),
        ("a=samesite=lax; secure; HttpOnly; samesite=strict", "a=samesite=lax; HttpOnly"),
        ("secure=1; Path=/; Secure", "secure=1; Path=/"),
    ],
)
def test_cookies_are_sent_in_frames_of_other_sites(cookie: str, changed: str):
    assert for_frames(cookie) == f"{changed}; SameSite=None; Secure; Partitioned"
    assert for_frames(for_frames(cookie)) == for_frames(cookie)


def test_every_cookie_of_an_answer_is_changed_and_no_other_header():
    async def app(scope, receive, send):
        cookies = [(b"set-cookie", b"a=1; SameSite=Lax"), (b"x", b"y"), (b"set-cookie", b"b=2")]
        await send({"type": "http.response.start", "status": 200, "headers": cookies})
        await send({"type": "http.response.body", "body": b""})

    def cookies_of(sites):
        sent = send_request(SecurityHeaders(app, sites))
        return [value.decode() for name, value in sent[0]["headers"] if name in (b"set-cookie", b"x")]

    flags = "; SameSite=None; Secure; Partitioned"
    assert cookies_of(()) == ["a=1; SameSite=Lax", "y", "b=2"]
    assert sorted(cookies_of((LMS,))) == sorted([f"a=1{flags}", "y", f"b=2{flags}"])
