"""The log: one JSON object a line on standard error, about what happened and never about what was typed."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime

LOG = logging.getLogger("atlas")
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


def start() -> None:
    """Write the log to standard error, once."""
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
