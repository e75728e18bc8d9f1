"""Log records of libraries contain nothing that a visitor sent."""

import io
import json
import logging
import sys
import threading

import pytest

from server import logs

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
