"""The log: one JSON object per line on standard error, without anything that a visitor entered.

Streamlit and uvicorn log lines of their own there, which would quote what a visitor sent: a name in a message, a wrong
origin, an error with the value that caused it. Their texts and numbers are retained; other arguments are removed. Each
refused socket causes such lines too, so of each kind one a minute is written, and then how many more there were.
"""

import json
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from server.singleton import singleton

# Bound how many lines the libraries write to the log, which clients cause by sockets and requests that are refused.

INTERVAL = 60.0  # seconds
MAX_KINDS = 1000  # of lines; all further ones count as one kind


@dataclass
class LineCount:
    """The lines of one kind since the last one that was written."""

    text: str  # of the line that was written
    since: float  # seconds of the clock when it was written
    omitted: int = 0  # lines of the same kind that were not


class LogLimit:
    """Of each kind of line the first one in an interval; the others are counted. Safe to use from several threads."""

    def __init__(self, interval: float = INTERVAL, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval, self._clock = interval, clock
        self._lock = threading.Lock()
        self._counts: dict[Hashable, LineCount] = {}

    def admits(self, kind: Hashable, text: str) -> bool:
        """Whether a line may be written; else it is counted."""
        with self._lock:
            if len(self._counts) >= MAX_KINDS and kind not in self._counts:
                kind, text = None, "lines of many kinds"
            count = self._counts.get(kind)
            if count is None:
                self._counts[kind] = LineCount(text, self._clock())
                return True
            count.omitted += 1
            return False

    def ended(self) -> list[LineCount]:
        """The kinds with omitted lines whose interval is over; their next line is written again."""
        with self._lock:
            now = self._clock()
            over = {kind: count for kind, count in self._counts.items() if now - count.since >= self._interval}
            for kind in over:
                del self._counts[kind]
            return [count for count in over.values() if count.omitted]


LOG = logging.getLogger("atlas")
OMITTED = -1  # level of a record that no handler writes
FRAMES = 3  # of an error's traceback that are logged, the innermost first
LEVEL = "ATLAS_LOG"  # the environment variable that sets the level; "INFO" by default


class JsonLines(logging.Formatter):
    """Formats an event's name and fields; of an exception only the type, since its message may quote a visitor."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line)


@singleton
def log_limit() -> LogLimit:
    """The limit of this process."""
    return LogLimit()


class RedactedRecord(logging.LogRecord):
    """A library's log record reduced to its text and numbers; of an error the type and lines, not the message.

    A record beyond the limit has a level that is below that of every handler.
    """

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        if self.name == LOG.name:
            return
        self.msg = str(self.msg).partition("\n")[0]
        if isinstance(self.args, dict):
            self.args = {key: _redact(value) for key, value in self.args.items()}
        else:
            self.args = tuple(map(_redact, self.args or ()))
        if self.exc_info and self.exc_info[0]:
            frames = reversed(traceback.extract_tb(self.exc_info[2])[-FRAMES:])
            lines = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
            self.msg = f"{self.msg} ({self.exc_info[0].__name__} in {lines})"
        self.exc_info = self.exc_text = self.stack_info = None
        if not log_limit().admits((self.pathname, self.lineno, self.msg), self.msg):
            self.levelno = OMITTED


def _thread_ended(error: threading.ExceptHookArgs) -> None:
    """Log an error that ends a thread, without its message, which Python would print."""
    LOG.error("thread ended", exc_info=error.exc_value)


def _redact(value: object) -> object:
    return value if isinstance(value, int | float) else "..."


def start() -> None:
    """Write the log to standard error, once."""
    logging.setLogRecordFactory(RedactedRecord)
    threading.excepthook = _thread_ended
    # it warns of each thread that has no session, such as one that makes a download
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    if LOG.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    LOG.addHandler(handler)
    LOG.propagate = False
    level = os.environ.get(LEVEL, "INFO").upper()
    LOG.setLevel(level if level in logging.getLevelNamesMapping() else "INFO")


def event(name: str, level: int = logging.INFO, **fields: str | float) -> None:
    """Log one line. `fields` are names of this project's own, sizes and times."""
    LOG.log(level, name, extra={"fields": fields})


def write_omitted() -> None:
    """Log how many lines of each kind were omitted in the last minute; housekeeping calls this."""
    for count in log_limit().ended():
        event("lines omitted", logging.WARNING, like=count.text, count=count.omitted)
