"""What tests/browser does as a reader, once more behind the proxy: `server` is the site of three replicas.

What a journey waits for must be a function: Playwright runs a bare expression by eval, which the policy refuses.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.deploy.image import ROOT

pytestmark = pytest.mark.deploy

DIRECT = {"test_safety", "test_load", "test_interrupted"}  # about the app itself: its refusals, log and metrics


def journeys() -> list[Path]:
    """The files of tests/browser whose tests take `server`."""
    files = sorted((ROOT / "tests" / "browser").glob("test_*.py"))
    return [file for file in files if "server: Server" in file.read_text() and file.stem not in DIRECT]


for _file in journeys():
    for _name, _thing in vars(importlib.import_module(f"tests.browser.{_file.stem}")).items():
        if _name.startswith("test_"):
            globals()[f"{_name}_of_{_file.stem}"] = _thing  # two files may call a test by the same name
        elif type(_thing).__name__ == "FixtureFunctionDefinition":
            globals()[_name] = _thing
