"""Foreign hosts, foreign origins and unknown addresses are refused before they reach Streamlit."""

import pytest

from server.addresses import NOT_FOUND as NO_PAGE
from server.addresses import KnownAddresses
from server.host_check import FOREIGN_ORIGIN, UNKNOWN_HOST, HostCheck, is_same_origin
from server.http_errors import RefusalLanguage
from tests.coroutines import run_in_thread
from tests.server.asgi import RecordingApp, send_request, status, text
from views import navigation
from views.initial_html import language_of_request

KINDS = ("http", "websocket")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["/", "/attention", "/static/js/x.js", "/healthz", "/metrics", "/media/x.png"])
def test_a_foreign_host_reaches_no_address(kind: str, path: str):
    app = RecordingApp()
    refused = send_request(HostCheck(app), path, {"host": "elsewhere.example:8501"}, kind)
    assert (status(refused), text(refused), app.reached) == (421, UNKNOWN_HOST.english + "\n", [])


@pytest.mark.parametrize("host", ["localhost", "localhost:8501", "LOCALHOST", "127.0.0.1:80", "localhost."])
def test_allowed_hosts_pass(host: str):
    assert status(send_request(HostCheck(RecordingApp()), headers={"host": host})) == 200


@pytest.mark.parametrize(
    "headers",
    [
        [("accept", "*/*")],
        [("host", "")],
        [("host", "localhost@elsewhere.example")],
        [("host", "localhost:port")],
        [("host", "localhost"), ("host", "elsewhere.example")],
        [("host", "[")],
    ],
)
def test_a_missing_invalid_or_repeated_host_is_refused(headers: list):
    assert status(send_request(HostCheck(RecordingApp()), headers=headers)) == 421


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "origin",
    [
        "http://elsewhere.example",
        "http://localhost:9999",
        "http://localhost",
        "http://localhost:8501.elsewhere.example",
        "http://LOCALHOST:8501",
        "http://user@localhost:8501",
        "http://localhost:8501/",
        "ftp://localhost:8501",
        "localhost:8501",
        "null",
        "",
        "http://[",
        "http://localhost:8501\xe9",
    ],
)
def test_a_foreign_origin_reaches_no_address(kind: str, origin: str):
    app = RecordingApp()
    refused = send_request(HostCheck(app), "/", {"host": "localhost:8501", "origin": origin}, kind)
    assert (status(refused), text(refused), app.reached) == (403, FOREIGN_ORIGIN.english + "\n", [])


def test_a_refusal_is_in_the_language_of_the_request():
    app = RefusalLanguage(known_addresses(RecordingApp()), language_of_request)
    in_korean = send_request(app, "/nowhere", {"host": "localhost", "accept": "text/html"}, query=b"lang=ko")
    assert '<html lang="ko">' in text(in_korean) and NO_PAGE.english not in text(in_korean)
    assert "이런 페이지가 없습니다." in text(in_korean) and ">시작 페이지 열기</a>" in text(in_korean)
    assert text(send_request(app, "/nowhere", {"host": "localhost"})) == NO_PAGE.english + "\n"


def test_two_origins_are_refused():
    headers = [("host", "localhost:8501"), ("origin", "http://localhost:8501"), ("origin", "http://elsewhere.example")]
    assert status(send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket")) == 403


@pytest.mark.parametrize("origin", ["http://localhost:8501", "https://localhost:8501", None])
def test_the_same_origin_and_no_origin_pass(origin: str | None):
    headers = {"host": "localhost:8501"} | ({} if origin is None else {"origin": origin})
    assert status(send_request(HostCheck(RecordingApp()), headers=headers)) == 200
    assert status(send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket")) == 101


def test_without_a_host_no_origin_is_the_same():
    assert not is_same_origin("http://localhost", None)
    assert not is_same_origin("http://", "")


def test_a_server_that_cannot_answer_a_handshake_closes_the_socket():
    headers = {"host": "localhost", "origin": "http://elsewhere.example"}
    sent = send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket", denial=False)
    assert sent == [{"type": "websocket.close", "code": 1008, "reason": FOREIGN_ORIGIN.english}]


def known_addresses(app: RecordingApp) -> KnownAddresses:
    return KnownAddresses(app, navigation.page_ids(), ["/healthz", "/metrics"], navigation.MOVED_PAGES)


@pytest.mark.parametrize("path", ["/", "/attention", "/attention/", "/vision", "/healthz", "/metrics", "/favicon.png"])
def test_addresses_of_the_app_pass(path: str):
    assert status(send_request(known_addresses(RecordingApp()), path)) == 200


@pytest.mark.parametrize("path", ["/_stcore/health", "/_stcore/host-config", "/media/a.png"])
def test_addresses_that_pages_request_from_streamlit_pass(path: str):
    assert status(send_request(known_addresses(RecordingApp()), path)) == 200


@pytest.mark.parametrize(
    ("method", "expected"),
    [("PUT", 200), ("DELETE", 200), ("OPTIONS", 200), ("GET", 404), ("HEAD", 404), ("POST", 404)],
)
def test_uploads_can_be_put_and_removed_but_not_read(method: str, expected: int):
    assert status(send_request(known_addresses(RecordingApp()), "/_stcore/upload_file/a/b", method=method)) == expected


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_old_address_of_a_page_redirects_with_its_query(slash: str):
    answer = send_request(known_addresses(RecordingApp()), f"/relevance{slash}", query=b"text=A%20cat%3F&part=Words")
    assert status(answer) == 308
    assert (b"location", b"/attribution?text=A%20cat%3F&part=Words") in answer[0]["headers"]


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/Attention",
        "/attention/more",
        "/attention//",
        "//attention",
        "/index.html",
        "/static/js/none.js",
        "/static/",
        "/static/../app.py",
        "/healthz/",
        "/auth/login",
        "/component/x/y",
        "/app/static/x",
        "/_stcore/agent/mcp",
        "/_stcore/bidi-components/x/y",
        "/_stcore/script-health-check",
        "/_stcore/stream",
        "/attention/_stcore/metrics",
        "/media",
        "",
    ],
)
def test_other_addresses_are_not_found(path: str):
    app = RecordingApp()
    refused = send_request(known_addresses(app), path)
    assert (status(refused), text(refused), app.reached) == (404, NO_PAGE.english + "\n", [])


@pytest.mark.parametrize(
    ("accept", "method", "kind"),
    [
        ("text/html,application/xhtml+xml,*/*;q=0.8", "GET", "text/html"),
        ("text/html", "HEAD", "text/html"),
        ("*/*", "GET", "text/plain"),  # a script or a picture of a page
        ("application/json", "POST", "text/plain"),
        ("", "GET", "text/plain"),
    ],
)
def test_a_browser_that_opens_an_unknown_page_gets_a_link_home(accept: str, method: str, kind: str):
    headers = {"host": "localhost", "accept": accept}
    refused = send_request(known_addresses(RecordingApp()), "/<b>", headers, method=method)
    assert status(refused) == 404
    assert dict(refused[0]["headers"])[b"content-type"].startswith(kind.encode())
    assert NO_PAGE.english in text(refused) and "<b>" not in text(refused)
    assert ('<a href="/">' in text(refused)) == (kind == "text/html")


def test_sockets_have_one_address_only():
    assert status(send_request(known_addresses(RecordingApp()), "/_stcore/stream", kind="websocket")) == 101
    for path in ("/", "/healthz", "/static/js/x.js", "/attention/_stcore/stream"):
        app = RecordingApp()
        assert status(send_request(known_addresses(app), path, kind="websocket")) == 404 and not app.reached


@pytest.mark.parametrize("middleware", [HostCheck, known_addresses], ids=lambda middleware: middleware.__name__)
def test_the_lifespan_scope_passes(middleware):
    reached = []

    async def app(scope, receive, send):
        reached.append(scope["type"])

    run_in_thread(middleware(app)({"type": "lifespan"}, None, None))
    assert reached == ["lifespan"]
