"""Log records of libraries contain nothing that a visitor sent."""

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest

from server import logs
from server.logs import INTERVAL, MAX_KINDS, LogLimit
from tests.raw_sockets import connect, head, open_websocket, status
from tests.server.small_app import SmallServer

SECRET = "Zxqv"


def format_record(
    message: str, *arguments: object, name: str = "streamlit.runtime.app_session", error: bool = False
) -> str:
    """The line in the log for a library's record."""
    record = logs.RedactedRecord(name, logging.INFO, __file__, 1, message, arguments, sys.exc_info() if error else None)
    return logging.Formatter("%(message)s").format(record)


@pytest.mark.parametrize(
    ("message", "arguments", "line"),
    [
        ("The fragment %s does not exist.", (f"{SECRET}\nline",), "The fragment ... does not exist."),
        ("origin=%r, host=%s", (f"http://{SECRET}", None), "origin='...', host=..."),
        ("%d bytes received, cap %d bytes", (9, 8), "9 bytes received, cap 8 bytes"),
        ("%(status)d for %(path)s", ({"status": 404, "path": SECRET},), "404 for ..."),
        ("Task exception was never retrieved\nfuture: " + SECRET, (), "Task exception was never retrieved"),
        ("No arguments, 100 %", (), "No arguments, 100 %"),
    ],
)  # fmt: skip
def test_a_library_s_record_retains_its_text_and_numbers(message: str, arguments: tuple, line: str):
    assert format_record(message, *arguments) == line


def test_of_an_error_only_the_type_and_lines_are_logged():
    try:
        {}[SECRET]
    except KeyError:
        line = format_record("Uncaught app execution", error=True)
    here = sys._getframe().f_lineno - 3
    assert line == f"Uncaught app execution (KeyError in test_logs.py:{here})"


def test_the_app_s_own_events_are_unchanged():
    assert format_record("%s", "ready", name=logs.LOG.name) == "ready"


def test_an_error_that_ends_a_thread_is_logged_by_its_type():
    def fail() -> None:
        raise ValueError(SECRET)

    log = io.StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(logs.JsonLines())
    logs.LOG.addHandler(handler)
    before, threading.excepthook = threading.excepthook, logs._thread_ended
    try:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    finally:
        threading.excepthook = before
        logs.LOG.removeHandler(handler)
    line = json.loads(log.getvalue())
    assert (line["event"], line["error"], SECRET in log.getvalue()) == ("thread ended", "ValueError", False)


def test_starting_the_log_redacts_every_later_record():
    before, hook = logging.getLogRecordFactory(), threading.excepthook
    handlers, passed_on = logs.LOG.handlers[:], logs.LOG.propagate
    try:
        logs.start()
        record = logging.getLogger("streamlit.later").makeRecord("streamlit.later", 20, "", 1, "%s", (SECRET,), None)
        assert record.getMessage() == "..."
    finally:
        logging.setLogRecordFactory(before)
        threading.excepthook = hook
        logs.LOG.handlers[:], logs.LOG.propagate = handlers, passed_on


@pytest.fixture
def log(monkeypatch) -> Iterator[io.StringIO]:
    """What this project's log contains, while libraries' records are limited anew, in a fake time."""
    now = [0.0]
    limit = LogLimit(clock=lambda: now[0])
    monkeypatch.setattr(logs, "log_limit", lambda: limit)
    before = logging.getLogRecordFactory()
    logging.setLogRecordFactory(logs.RedactedRecord)
    written = io.StringIO()
    written.advance = lambda seconds: now.__setitem__(0, now[0] + seconds)
    library, own = logging.StreamHandler(written), logging.StreamHandler(written)
    own.setFormatter(logs.JsonLines())
    logger = logging.getLogger("uvicorn.error.test")
    logger.addHandler(library)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logs.LOG.addHandler(own)
    yield written
    logging.setLogRecordFactory(before)
    logger.removeHandler(library)
    logs.LOG.removeHandler(own)


def refuse(count: int) -> None:
    """Log like a library that refuses something."""
    for number in range(count):
        logging.getLogger("uvicorn.error.test").warning("refused %d for %s", 403, f"client {number}")


def test_a_flood_writes_one_line_and_then_its_number(log: io.StringIO):
    refuse(10_000)
    assert log.getvalue() == "refused 403 for ...\n"
    log.advance(INTERVAL - 1)
    logs.write_omitted()
    assert log.getvalue().count("\n") == 1
    log.advance(1)
    logs.write_omitted()
    line = json.loads(log.getvalue().splitlines()[1])
    assert (line["event"], line["like"], line["count"]) == ("lines omitted", "refused %d for %s", 9999)
    logs.write_omitted()
    refuse(2)
    assert log.getvalue().count("\n") == 3


def test_other_kinds_of_lines_are_written_meanwhile(log: io.StringIO):
    refuse(100)
    logger = logging.getLogger("uvicorn.error.test")
    for error in (KeyError("a"), ValueError("b"), KeyError("c")):
        try:
            raise error
        except Exception:
            logger.exception("failed")
    for level in (logging.DEBUG, logging.CRITICAL):
        logger.log(level, "another text")
    lines = log.getvalue().splitlines()
    assert [line.split(" ")[:2] for line in lines[1:3]] == [["failed", "(KeyError"], ["failed", "(ValueError"]]
    assert lines[3:] == ["another text"]


def test_this_project_s_own_events_are_not_limited(log: io.StringIO):
    for number in range(50):
        logs.event("run", logging.WARNING, number=number)
    assert log.getvalue().count("\n") == 50


def test_the_number_of_kinds_is_bounded():
    limit = LogLimit(clock=lambda: 0.0)
    admitted = sum(limit.admits(number, "text") for number in range(10 * MAX_KINDS))
    assert admitted <= MAX_KINDS + 1


def test_an_interval_without_omitted_lines_writes_nothing():
    now = [0.0]
    limit = LogLimit(clock=lambda: now[0])
    assert limit.admits("a", "a")
    now[0] = 2 * INTERVAL
    assert limit.ended() == [] and limit.admits("a", "a")


def test_refused_handshakes_and_requests_write_a_bounded_number_of_lines():
    """Of 300 of each kind 600 lines before, 2 now; and one more a minute with the number of a kind."""
    with SmallServer() as server:
        lines = server.log().count("\n")
        for _ in range(100):
            for more in (("Origin: http://elsewhere.example",), ("Sec-WebSocket-Version: 7",)):
                with pytest.raises(ConnectionRefusedError):
                    open_websocket(server.url, *more)
            with connect(server.url) as client:
                client.sendall(b"nonsense\r\n\r\n")
                assert status(client.recv(2**16)) == 400
            with connect(server.url) as client:
                client.sendall(head(server.url, "/", "GET", "Connection: Upgrade", "Upgrade: h2c"))
                client.recv(2**16)
            open_websocket(server.url).close()
        log = server.log()
    assert log.count("\n") - lines < 40, log
    assert all(json.loads(line) for line in log.splitlines() if line.startswith("{"))
