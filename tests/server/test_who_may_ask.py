"""Foreign names, foreign origins and unknown addresses are refused before Streamlit sees them."""

import pytest

from server.addresses import NOT_FOUND as NO_PAGE
from server.addresses import KnownAddresses
from server.host_check import FOREIGN_ORIGIN, UNKNOWN_HOST, HostCheck, is_same_origin
from tests.elsewhere import run_in_thread
from tests.server.asgi import RecordingApp, send_request, status, text
from views import navigation

KINDS = ("http", "websocket")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["/", "/attention", "/static/js/x.js", "/healthz", "/metrics", "/media/x.png"])
def test_a_foreign_name_reaches_no_address(kind: str, path: str):
    inside = RecordingApp()
    refused = send_request(HostCheck(inside), path, {"host": "elsewhere.example:8501"}, kind)
    assert (status(refused), text(refused), inside.reached) == (421, UNKNOWN_HOST + "\n", [])


@pytest.mark.parametrize("host", ["localhost", "localhost:8501", "LOCALHOST", "127.0.0.1:80", "localhost."])
def test_own_names_pass(host: str):
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
def test_what_is_no_name_or_two_is_refused(headers: list):
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
def test_a_foreign_origin_reaches_nothing(kind: str, origin: str):
    inside = RecordingApp()
    refused = send_request(HostCheck(inside), "/", {"host": "localhost:8501", "origin": origin}, kind)
    assert (status(refused), text(refused), inside.reached) == (403, FOREIGN_ORIGIN + "\n", [])


def test_two_origins_are_refused():
    headers = [("host", "localhost:8501"), ("origin", "http://localhost:8501"), ("origin", "http://elsewhere.example")]
    assert status(send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket")) == 403


@pytest.mark.parametrize("origin", ["http://localhost:8501", "https://localhost:8501", None])
def test_the_own_origin_passes_and_so_does_who_names_none(origin: str | None):
    headers = {"host": "localhost:8501"} | ({} if origin is None else {"origin": origin})
    assert status(send_request(HostCheck(RecordingApp()), headers=headers)) == 200
    assert status(send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket")) == 101


def test_without_a_host_no_origin_is_own():
    assert not is_same_origin("http://localhost", None)
    assert not is_same_origin("http://", "")


def test_a_server_without_texts_for_handshakes_closes_the_socket():
    headers = {"host": "localhost", "origin": "http://elsewhere.example"}
    sent = send_request(HostCheck(RecordingApp()), headers=headers, kind="websocket", denial=False)
    assert sent == [{"type": "websocket.close", "code": 1008, "reason": FOREIGN_ORIGIN}]


def known(inside: RecordingApp) -> KnownAddresses:
    return KnownAddresses(inside, navigation.page_ids(), ["/healthz", "/metrics"], navigation.MOVED_PAGES)


@pytest.mark.parametrize("path", ["/", "/attention", "/attention/", "/vision", "/healthz", "/metrics", "/favicon.png"])
def test_own_addresses_pass(path: str):
    assert status(send_request(known(RecordingApp()), path)) == 200


@pytest.mark.parametrize("path", ["/_stcore/health", "/_stcore/host-config", "/media/a.png"])
def test_what_a_page_asks_of_streamlit_passes(path: str):
    assert status(send_request(known(RecordingApp()), path)) == 200


@pytest.mark.parametrize(
    ("method", "expected"),
    [("PUT", 200), ("DELETE", 200), ("OPTIONS", 200), ("GET", 404), ("HEAD", 404), ("POST", 404)],
)
def test_an_upload_is_put_and_removed_and_read_by_nobody(method: str, expected: int):
    assert status(send_request(known(RecordingApp()), "/_stcore/upload_file/a/b", method=method)) == expected


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_page_that_moved_leads_to_where_it_is_and_keeps_the_query(slash: str):
    answer = send_request(known(RecordingApp()), f"/relevance{slash}", query=b"text=A%20cat%3F&part=Words")
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
    inside = RecordingApp()
    refused = send_request(known(inside), path)
    assert (status(refused), text(refused), inside.reached) == (404, NO_PAGE + "\n", [])


def test_a_socket_is_at_one_address_only():
    assert status(send_request(known(RecordingApp()), "/_stcore/stream", kind="websocket")) == 101
    for path in ("/", "/healthz", "/static/js/x.js", "/attention/_stcore/stream"):
        inside = RecordingApp()
        assert status(send_request(known(inside), path, kind="websocket")) == 404 and not inside.reached


@pytest.mark.parametrize("made", [HostCheck, known], ids=lambda made: made.__name__)
def test_the_start_of_the_server_passes(made):
    reached = []

    async def inside(scope, receive, send):
        reached.append(scope["type"])

    run_in_thread(made(inside)({"type": "lifespan"}, None, None))
    assert reached == ["lifespan"]
