"""Of each kind of line of a library, one in an interval is written, and then the number of the others."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from server import logs
from server.log_limit import INTERVAL, MAX_KINDS, LogLimit
from tests.raw_sockets import connect, head, open_websocket, status
from tests.server.small_app import SmallServer


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
