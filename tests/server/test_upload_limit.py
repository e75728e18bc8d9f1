"""A client that sends file after file makes the server drop the oldest ones, not grow."""

import pytest

from server.upload_limit import MAX_FILES_PER_SESSION, MIN_COUNTED_BYTES, UPLOADS, UploadLimit
from tests.coroutines import run_in_thread


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
