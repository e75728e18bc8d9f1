"""The log: one JSON object a line on standard error, about what happened and never about what was typed.

Streamlit and its server write lines of their own there, which would quote what a visitor sent: a name that a message
bears, a wrong origin, an error with the value that led to it. They keep their words and numbers, and lose the rest.
"""

import json
import logging
import os
import sys
import threading
import traceback
from datetime import UTC, datetime
from pathlib import Path

LOG = logging.getLogger("atlas")
FRAMES = 3  # of an error that are named, the innermost first
LEVEL = "ATLAS_LOG"  # the environment variable that sets the level; "INFO" where it is not set


class JsonLines(logging.Formatter):
    """An event's name and its fields; of an exception the type alone, since its message may quote a visitor."""

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


class Discreet(logging.LogRecord):
    """What a library reports: its sentence with its numbers; of an error the type and the places, no message."""

    def __init__(self, *arguments, **named) -> None:
        super().__init__(*arguments, **named)
        if self.name == LOG.name:
            return
        self.msg = str(self.msg).partition("\n")[0]
        if isinstance(self.args, dict):
            self.args = {key: _number(value) for key, value in self.args.items()}
        else:
            self.args = tuple(map(_number, self.args or ()))
        if self.exc_info and self.exc_info[0]:
            frames = reversed(traceback.extract_tb(self.exc_info[2])[-FRAMES:])
            places = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
            self.msg = f"{self.msg} ({self.exc_info[0].__name__} in {places})"
        self.exc_info = self.exc_text = self.stack_info = None


def _thread_ended(error: threading.ExceptHookArgs) -> None:
    """What Python would print of an error that ends a thread, without its message."""
    LOG.error("thread ended", exc_info=(error.exc_type, error.exc_value, error.exc_traceback))


def _number(value: object) -> object:
    return value if isinstance(value, int | float) else "..."


def start() -> None:
    """Write the log to standard error, once."""
    logging.setLogRecordFactory(Discreet)
    threading.excepthook = _thread_ended
    # it warns of each thread that asks for a visit and has none, such as one that makes a download
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
    """Write one line. `fields` are names of this project's own, sizes and times."""
    LOG.log(level, name, extra={"fields": fields})
