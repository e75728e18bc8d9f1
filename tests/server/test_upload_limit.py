"""Whoever sends file after file makes the server forget the first ones, not grow."""

import pytest

from server.upload_limit import A_VISIT, LEAST, UPLOADS, FewUploads
from tests.elsewhere import run_elsewhere


class Uploads:
    """What is kept behind the middleware, which takes every file that does not begin with "no"."""

    def __init__(self, most: int = 100 * LEAST) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self._app = FewUploads(self._take, lambda visit, file: self.kept.pop((visit, file), None), most)

    async def _take(self, scope, receive, send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        visit, file = scope["path"].removeprefix(UPLOADS).split("/")
        taken = scope["method"] == "PUT" and not body.startswith(b"no")
        if taken:
            self.kept[visit, file] = body
        await send({"type": "http.response.start", "status": 204 if taken else 413, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def put(self, visit: str, file: str, *parts: bytes, method: str = "PUT") -> int:
        """Send a file in parts; the status of the answer."""
        arriving = [{"type": "http.request", "body": part, "more_body": True} for part in parts[:-1]]
        arriving.append({"type": "http.request", "body": parts[-1]})
        sent = []

        async def receive():
            return arriving.pop(0)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": method, "path": f"{UPLOADS}{visit}/{file}"}
        run_elsewhere(self._app(scope, receive, send))
        return sent[0]["status"]


def test_of_one_visit_the_last_files_are_kept():
    uploads = Uploads()
    for number in range(3 * A_VISIT):
        assert uploads.put("one", str(number), b"file") == 204
    uploads.put("other", "a", b"file")
    assert list(uploads.kept) == [*(("one", str(number)) for number in range(2 * A_VISIT, 3 * A_VISIT)), ("other", "a")]


def test_of_all_visits_so_many_bytes_are_kept():
    uploads = Uploads(most=10 * LEAST)
    for number in range(20):
        uploads.put(f"visit {number}", "a", b"." * LEAST, b"." * LEAST, b"." * LEAST)
    assert list(uploads.kept) == [(f"visit {number}", "a") for number in (17, 18, 19)]


def test_a_file_that_is_sent_again_counts_once():
    uploads = Uploads(most=3 * LEAST)
    for _ in range(10):
        uploads.put("one", "a", b"." * 2 * LEAST)
    uploads.put("two", "a", b".")
    assert list(uploads.kept) == [("one", "a"), ("two", "a")]


def test_small_files_are_not_kept_without_end():
    uploads = Uploads(most=3 * LEAST)
    for number in range(20):
        uploads.put(f"visit {number}", "a", b"")
    assert list(uploads.kept) == [(f"visit {number}", "a") for number in (17, 18, 19)]


@pytest.mark.parametrize(("method", "body"), [("PUT", b"no, too large"), ("DELETE", b"file")])
def test_what_was_not_taken_makes_nobody_forget_anything(method: str, body: bytes):
    uploads = Uploads(most=3 * LEAST)
    uploads.put("one", "a", b"." * 3 * LEAST)
    for number in range(10):
        uploads.put("two", str(number), body, method=method)
    assert list(uploads.kept) == [("one", "a")]
