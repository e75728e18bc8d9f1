"""The proxy's headers and refusals, and that a visitor stays with one replica."""

from __future__ import annotations

import gzip
import http.client
import re
import time
from collections import Counter

import pytest
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from server.headers import HEADERS
from tests.deploy.replicas import HEALTH, Site
from tests.deploy.visitor import PATIENCE, HttpVisitor, Response, request

pytestmark = pytest.mark.deploy

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def script(site: Site) -> str:
    """Address of the largest script of the first page."""
    return max(re.findall(r"\./(static/js/[\w.-]+\.js)", request(site.url).body.decode()), key=len)


def assert_headers(answer: Response) -> None:
    """Check that each security header is sent once."""
    headers = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
    assert "'unsafe-" not in policy.get("script-src", "")  # neither inline scripts nor eval
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "microphone=()" in headers["permissions-policy"]
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in HEADERS if "\n" in headers[name.lower()]]
    assert headers["server"] == "nginx"  # and no version
    assert "strict-transport-security" not in headers  # over plain HTTP it means nothing


ANSWERS = [
    ("a page", "/", {}, 200),
    ("a deep link", "/attention?kind=Cross", {}, 200),
    ("the health route", HEALTH, {}, 200),
    ("the first request of the page", "/_stcore/host-config", {}, 200),
    ("the socket", "/_stcore/stream", UPGRADE, 101),
    ("a script", None, {}, 200),
    ("a script that does not exist", "/static/js/none.js", {}, 404),
    ("a page that does not exist", "/nothing", {}, 404),
    ("a page of another site", "/", {"Origin": "http://elsewhere.example"}, 403),
    ("the socket from another site", "/_stcore/stream", UPGRADE | {"Origin": "http://elsewhere.example"}, 403),
    ("a picture that does not exist", "/media/none.png", {}, 404),
    ("a path with a slash behind it", "/attention/", {}, 301),
    ("metrics", "/metrics", {}, 404),
    ("Streamlit's metrics", "/_stcore/metrics", {}, 404),
    ("the agents' interface", "/_stcore/agent/openapi.json", {}, 404),
    ("another name", "/", {"Host": "elsewhere.example"}, 421),
    ("the socket by another name", "/_stcore/stream", UPGRADE | {"Host": "elsewhere.example"}, 421),
    ("a path that leaves", "/../../etc/passwd", {}, 400),
    ("an endless address", "/?text=" + "a" * 40_000, {}, 414),
    ("endless headers", "/", {"X_A": "a" * 40_000}, 431),
]


@pytest.mark.parametrize(("what", "path", "headers", "status"), ANSWERS, ids=[answer[0] for answer in ANSWERS])
def test_headers_of_every_answer(site: Site, what: str, path: str | None, headers: dict, status: int):
    answer = request(site.url, path or f"/{script(site)}", **headers)
    assert answer.status == status
    assert_headers(answer)


def test_the_app_s_own_policy_reaches_the_browser(site: Site):
    direct, through = (request(url).headers["content-security-policy"] for url in (site.replicas[0].url, site.url))
    assert through == direct
    assert "script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-" in direct


def test_nginx_itself_refuses_other_sites(site: Site):
    before = now(site)
    for path, headers in (("/", {}), ("/_stcore/stream", UPGRADE), ("/static/js/none.js", {})):
        for origin in ("http://elsewhere.example", "null", f"{site.url}.elsewhere.example", "http://localhost"):
            assert request(site.url, path, Origin=origin, **headers).status == 403
    assert {line["tried"] for line in logged(site, before, 12) if line["status"] == 403} == {""}  # no replica saw one
    assert request(site.url, Origin=site.url).status == 200


@pytest.mark.parametrize("method", ["POST", "PATCH", "TRACE"])
def test_other_methods_are_refused(site: Site, method: str):
    answer = request(site.url, method=method)
    assert answer.status == 405
    assert_headers(answer)


@pytest.mark.parametrize(
    "path",
    [
        "/metrics",
        "/metrics/",
        "//metrics",
        "/_stcore/metrics?families=active_sessions",
        "//_stcore/metrics",
        "/_stcore%2fmetrics",
        "/%5fstcore/metrics",
        "/_stcore/./metrics",
        "/static/../_stcore/metrics",
        "/attention/_stcore/metrics",
        "/_stcore/metrics/",
        "/_stcore/script-health-check",
    ],
)
def test_metrics_are_not_published(site: Site, path: str):
    answer = request(site.url, path)
    assert b"active_sessions" not in answer.body
    assert b"# TYPE" not in answer.body
    assert answer.status == 404
    direct = request(site.replicas[0].url, "/_stcore/metrics")
    assert b"active_sessions" in direct.body  # published by the replicas themselves


def test_text_is_compressed_and_scripts_are_compressed_once(site: Site):
    name = script(site)
    plain = request(site.url, f"/{name}")
    packed = request(site.url, f"/{name}", Accept_Encoding="gzip, br")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < 0.5 * len(plain.body)
    assert "content-encoding" not in plain.headers
    assert request(site.url, "/", Accept_Encoding="gzip").headers["content-encoding"] == "gzip"
    before = now(site)
    for _ in range(5):
        assert request(site.url, f"/{name}", Accept_Encoding="gzip").body == packed.body
    lines = logged(site, before, 5, "static")
    assert len(lines) == 5
    assert all(line["tried"] == "" for line in lines)  # neither a replica nor the compressor was asked again
    before = now(site)
    for _ in range(2):
        assert request(site.url, "/static/js/none.js", Accept_Encoding="gzip").headers["cache-control"] == "no-store"
    lines = logged(site, before, 2, "static")
    assert [line["tried"] for line in lines] == ["404", "404"]  # errors are not cached


def logged(site: Site, before: int, count: int, kind: str = "") -> list[dict]:
    """The log's lines after the first `before`, of one kind or all, once there are at least `count`."""
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = [line for line in site.proxy.requests()[before:] if kind in ("", line["kind"])]
        if len(lines) >= count:
            return lines
        assert time.monotonic() < deadline, lines
        time.sleep(0.02)


def now(site: Site) -> int:
    """The number of lines in the log, once a request sent now is in it."""
    mark = sum(line["status"] == 405 for line in site.proxy.requests())
    request(site.url, method="POST")
    while sum(line["status"] == 405 for line in site.proxy.requests()) == mark:
        time.sleep(0.02)
    return len(site.proxy.requests())


def test_a_visitor_stays_with_one_replica_and_a_class_behind_one_address_spreads(site: Site):
    visitors = [HttpVisitor(site.url) for _ in range(9)]
    for visitor in visitors:
        visitor.get("/")
    assert Counter(visitor.replica for visitor in visitors) == {replica.port: 3 for replica in site.replicas}
    for visitor in visitors[:3]:
        before = now(site)
        mine = visitor.replica
        visitor.connect()
        for path in ("/", "/attention", HEALTH, "/_stcore/host-config", "/media/none.png"):
            assert "atlas_replica" not in visitor.get(path).headers.get("set-cookie", "")  # the browser knows already
        visitor.ask("I am a student.")
        visitor.close()
        lines = logged(site, before, 6)
        assert {line["replica"] for line in lines} == {str(mine)}


@pytest.mark.parametrize("cookie", ["1", "99999", "x; y", '"', "8501 8502", "../..", "a" * 4000])
def test_a_cookie_without_a_valid_replica_is_ignored(site: Site, cookie: str):
    answer = request(site.url, Cookie=f"atlas_replica={cookie}")
    assert answer.status == 200
    cookie_header = answer.headers["set-cookie"]
    assert re.fullmatch(r"atlas_replica=\d+; Path=/; HttpOnly; SameSite=Lax", cookie_header)


def test_the_answer_is_a_translation(site: Site):
    visitor = HttpVisitor(site.url)
    visitor.connect()
    assert "Je suis étudiant".encode() in visitor.ask("I am a student.")
    visitor.close()


def upload(site: Site, visitor: HttpVisitor, size: int, declared: bool = True) -> int:
    """Status of a hand-made upload; without a declared length it is sent in chunks."""
    token = visitor.token()
    start = b'--p\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    body = start + bytes(size) + b"\r\n--p--\r\n"
    connection = http.client.HTTPConnection("localhost", site.proxy.port, timeout=60)
    headers = {
        "Content-Type": "multipart/form-data; boundary=p",
        "Cookie": f"atlas_replica={visitor.replica}; {XSRF_COOKIE_NAME}={token}",
        "X-Xsrftoken": token,
    }
    try:
        path = f"/_stcore/upload_file/{visitor.session}/file"
        tokens = (body[place : place + 65536] for place in range(0, len(body), 65536))
        try:
            if declared:
                connection.request("PUT", path, body, headers)
            else:
                connection.request("PUT", path, tokens, headers, encode_chunked=True)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused while it was still being sent
        return connection.getresponse().status
    finally:
        connection.close()


def test_uploads_up_to_the_app_s_limit_and_none_elsewhere(site: Site):
    visitor = HttpVisitor(site.url)
    visitor.connect()
    visitor.ask("I am a student.")
    limit = 8 * 2**20
    assert upload(site, visitor, limit - 1000) == 204
    assert upload(site, visitor, limit + 1) == 413
    assert upload(site, visitor, limit + 1, declared=False) == 413
    visitor.close()
    assert request(site.url, "/", "PUT", bytes(100_000)).status == 413


def test_nothing_that_a_visitor_typed_or_uploaded_is_written_to_disk(site: Site):
    visitor = HttpVisitor(site.url)
    visitor.get("/?text=My+secret+is+zanzibar.")
    visitor.get("/zanzibar")
    request(site.url, "/", User_Agent="zanzibar", Referer=f"{site.url}/?text=zanzibar")
    visitor.connect()
    visitor.ask("My secret is zanzibar.")
    assert upload(site, visitor, 3 * 2**20) == 204
    visitor.close()
    now(site)
    for file in site.folder.rglob("*"):
        if file.is_file() and site.folder / "app" not in file.parents:
            assert b"zanzibar" not in file.read_bytes().lower(), file
    # nginx' folders for data that is too large for memory were never used
    assert [path for path in (site.proxy.folder / "temporary").rglob("*") if path.is_file()] == []
