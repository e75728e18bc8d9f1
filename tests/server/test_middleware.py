"""The client's address of a socket, and the limit of sockets per address."""

import asyncio
from pathlib import Path

import pytest
import streamlit
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.addresses import FOREIGN_ORIGIN, UNKNOWN_HOST, HostCheck, KnownAddresses, is_same_origin
from server.addresses import NOT_FOUND as NO_PAGE
from server.clients import TOO_MANY_SOCKETS, SocketsByAddress, client_address, trusted_proxies
from server.http_errors import RefusalLanguage
from server.limits import SocketLimits
from server.uploads import MAX_FILES_PER_SESSION, MIN_COUNTED_BYTES, UPLOADS, UploadLimit
from server.websocket_messages import InstallationRedaction, release
from tests.coroutines import run_in_thread
from tests.server.asgi import RecordingApp, send_request, status, text
from views import navigation
from views.initial_html import language_of_request

PROXIES = trusted_proxies("10.0.0.0/24, 2001:db8:1::5 192.0.2.1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.9", [], "192.0.2.9"),
        ("192.0.2.9", ["198.51.100.1"], "192.0.2.9"),  # the header counts from proxies only
        ("127.0.0.1", ["198.51.100.1"], "127.0.0.1"),
        ("10.0.0.7", [], "10.0.0.7"),
        ("10.0.0.7", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.7", ["203.0.113.5, 198.51.100.1"], "198.51.100.1"),  # the first one is the visitor's own claim
        ("10.0.0.7", ["203.0.113.5", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.7", ["198.51.100.1, 10.0.0.8"], "198.51.100.1"),  # two proxies, one behind the other
        ("10.0.0.7", ["10.0.0.9"], "10.0.0.9"),
        ("10.0.0.7", ["nonsense"], "10.0.0.7"),
        ("10.0.0.7", ["198.51.100.1, "], "198.51.100.1"),
        ("::ffff:10.0.0.7", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("2001:db8:1::5", ["2001:db8:2:3:4:5:6:7"], "2001:db8:2:3::/64"),
        ("2001:db8:2:3::1", [], "2001:db8:2:3::/64"),
        ("", [], ""),
        ("testclient", ["198.51.100.1"], "testclient"),
    ],
)
def test_the_client_address_is_read_from_trusted_proxies(peer: str, forwarded: list[str], expected: str):
    assert client_address(peer, forwarded, PROXIES) == expected


def test_no_proxy_is_trusted_unless_it_is_named(monkeypatch):
    monkeypatch.delenv("ATLAS_TRUSTED_PROXIES", raising=False)
    assert trusted_proxies() == ()
    monkeypatch.setenv("ATLAS_TRUSTED_PROXIES", "127.0.0.1 10.1.0.0/16")
    assert [str(network) for network in trusted_proxies()] == ["127.0.0.1/32", "10.1.0.0/16"]


@pytest.mark.parametrize("setting", ["proxy", "10.0.0.1/8", "10.0.0.0/24;10.0.1.0/24"])
def test_a_setting_that_is_no_address_raises_an_error_with_its_name(setting: str):
    with pytest.raises(ValueError, match=r"ATLAS_TRUSTED_PROXIES: .*Name addresses or networks such as 10\.0\.0\.0/24"):
        trusted_proxies(setting)


def test_sockets_are_limited_per_address():
    async def run() -> None:
        leave = asyncio.Event()

        async def app(scope, receive, send):
            await send({"type": "websocket.accept"})
            await leave.wait()

        counted = SocketsByAddress(app, SocketLimits(per_address=3), PROXIES)

        def open_socket(peer: str, *forwarded: str) -> tuple[asyncio.Task, list]:
            sent = []

            async def send(message):
                sent.append(message)

            headers = [(b"x-forwarded-for", claim.encode()) for claim in forwarded]
            scope = {"type": "websocket", "path": "/_stcore/stream", "client": (peer, 1), "headers": headers}
            scope["extensions"] = {"websocket.http.response": {}}
            return asyncio.create_task(counted(scope, None, send)), sent

        visits = [open_socket("192.0.2.7", f"198.51.100.{number}") for number in range(4)]  # claims do not count
        visits += [open_socket("192.0.2.8"), open_socket("10.0.0.7", "192.0.2.7"), open_socket("10.0.0.7", "192.0.2.9")]
        await asyncio.sleep(0.01)
        assert [status(sent) for _, sent in visits] == [101, 101, 101, 429, 101, 429, 101]
        assert text(visits[3][1]) == TOO_MANY_SOCKETS.english + "\n"
        visits[0][0].cancel()  # however a socket ends, another one may open
        await asyncio.sleep(0.01)
        again = open_socket("192.0.2.7")
        await asyncio.sleep(0.01)
        assert status(again[1]) == 101
        leave.set()
        await asyncio.gather(*(task for task, _ in [*visits, again]), return_exceptions=True)
        assert not counted._open  # no address is stored after its last socket

    run_in_thread(run())


def test_requests_are_not_counted():
    counted = SocketsByAddress(RecordingApp(), SocketLimits(per_address=1), ())
    assert [status(send_request(counted)) for _ in range(3)] == [200] * 3


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


SCRIPT = "/srv/place/app.py"


def redact(content: bytes, kind: str = "websocket") -> bytes:
    """One message of the app as the browser receives it."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "websocket.send", "bytes": content})

    async def send(message):
        sent.append(message["bytes"])

    run_in_thread(InstallationRedaction(app, SCRIPT, "1.0")({"type": kind}, None, send))
    return sent[0]


def test_the_start_of_a_run_contains_only_the_script_s_name():
    message = ForwardMsg(hash="kept")
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    message.new_session.name = "app.py"
    redacted = ForwardMsg.FromString(redact(message.SerializeToString()))
    assert redacted.new_session.main_script_path == "app.py"
    message.new_session.main_script_path = "app.py"
    message.new_session.initialize.user_info.SetInParent()
    message.new_session.initialize.environment_info.streamlit_version = release("1.0")
    assert redacted == message


def test_versions_and_ids_of_the_installation_are_blank():
    message = ForwardMsg()
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    start = message.new_session.initialize
    for part in (start.user_info, start.environment_info):
        for field in part.DESCRIPTOR.fields:
            setattr(part, field.name, True if field.name == "has_display" else f"private {field.name}")
    start.session_id = "kept"
    redacted = redact(message.SerializeToString())
    assert b"private" not in redacted
    sent = ForwardMsg.FromString(redacted).new_session.initialize
    assert (sent.session_id, sent.user_info.ListFields()) == ("kept", [])
    assert [field.name for field, _ in sent.environment_info.ListFields()] == ["streamlit_version"]


def test_the_release_is_one_value_for_all_replicas_and_another_for_another_version():
    assert release("1.0") == release("1.0") != release("1.1")
    assert streamlit.__version__ not in release("1.0")


def test_other_messages_are_unchanged():
    message = ForwardMsg()
    message.delta.new_element.text.body = f"someone typed {SCRIPT}"
    for content in (message.SerializeToString(), b"/srv/place", b"", b"\x00\xff/srv/place/x"):
        assert redact(content) == content
    assert redact(b"/srv/place", "http") == b"/srv/place"


class Uploads:
    """The files stored behind the middleware; the app accepts every file that does not begin with "no"."""

    def __init__(self, max_bytes: int = 100 * MIN_COUNTED_BYTES) -> None:
        self.stored: dict[tuple[str, str], bytes] = {}
        self._app = UploadLimit(self._accept, lambda session, file: self.stored.pop((session, file), None), max_bytes)

    async def _accept(self, scope, receive, send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        session, file = scope["path"].removeprefix(UPLOADS).split("/")
        accepted = scope["method"] == "PUT" and not body.startswith(b"no")
        if accepted:
            self.stored[session, file] = body
        await send({"type": "http.response.start", "status": 204 if accepted else 413, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def put(self, session: str, file: str, *parts: bytes, method: str = "PUT") -> int:
        """Send a file in parts; the status of the response."""
        arriving = [{"type": "http.request", "body": part, "more_body": True} for part in parts[:-1]]
        arriving.append({"type": "http.request", "body": parts[-1]})
        sent = []

        async def receive():
            return arriving.pop(0)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": method, "path": f"{UPLOADS}{session}/{file}"}
        run_in_thread(self._app(scope, receive, send))
        return sent[0]["status"]


def test_only_the_last_files_of_a_session_are_stored():
    uploads = Uploads()
    for number in range(3 * MAX_FILES_PER_SESSION):
        assert uploads.put("one", str(number), b"file") == 204
    uploads.put("other", "a", b"file")
    assert list(uploads.stored) == [
        *(("one", str(number)) for number in range(2 * MAX_FILES_PER_SESSION, 3 * MAX_FILES_PER_SESSION)),
        ("other", "a"),
    ]


def test_the_bytes_of_all_sessions_are_limited():
    uploads = Uploads(max_bytes=10 * MIN_COUNTED_BYTES)
    for number in range(20):
        uploads.put(
            f"visit {number}", "a", b"." * MIN_COUNTED_BYTES, b"." * MIN_COUNTED_BYTES, b"." * MIN_COUNTED_BYTES
        )
    assert list(uploads.stored) == [(f"visit {number}", "a") for number in (17, 18, 19)]


def test_a_file_that_is_sent_again_counts_once():
    uploads = Uploads(max_bytes=3 * MIN_COUNTED_BYTES)
    for _ in range(10):
        uploads.put("one", "a", b"." * 2 * MIN_COUNTED_BYTES)
    uploads.put("two", "a", b".")
    assert list(uploads.stored) == [("one", "a"), ("two", "a")]


def test_the_number_of_small_files_is_limited():
    uploads = Uploads(max_bytes=3 * MIN_COUNTED_BYTES)
    for number in range(20):
        uploads.put(f"visit {number}", "a", b"")
    assert list(uploads.stored) == [(f"visit {number}", "a") for number in (17, 18, 19)]


@pytest.mark.parametrize(("method", "body"), [("PUT", b"no, too large"), ("DELETE", b"file")])
def test_refused_uploads_drop_no_other_file(method: str, body: bytes):
    uploads = Uploads(max_bytes=3 * MIN_COUNTED_BYTES)
    uploads.put("one", "a", b"." * 3 * MIN_COUNTED_BYTES)
    for number in range(10):
        uploads.put("two", str(number), body, method=method)
    assert list(uploads.stored) == [("one", "a")]
