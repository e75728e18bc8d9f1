"""Run the user journeys of tests/browser again behind the proxy: `server` is the site of three replicas.

A journey must wait for functions: Playwright evaluates a bare expression by eval, which the policy blocks.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.deploy import conftest
from tests.deploy.image import ROOT

pytestmark = pytest.mark.deploy

DIRECT = {
    "test_safety",
    "test_load",
    "test_interrupted",
    "test_policy",
}  # about the app itself; test_pages tries the policy


def journeys() -> list[Path]:
    """The files of tests/browser whose tests use `server`."""
    files = sorted((ROOT / "tests" / "browser").glob("test_*.py"))
    return [file for file in files if "server: Server" in file.read_text() and file.stem not in DIRECT]


for _file in journeys():
    for _name, _value in vars(importlib.import_module(f"tests.browser.{_file.stem}")).items():
        if _name.startswith("test_"):
            globals()[f"{_name}_of_{_file.stem}"] = _value  # two files may have a test of the same name
        elif type(_value).__name__ == "FixtureFunctionDefinition" and _name not in vars(conftest):
            globals()[_name] = _value  # a file's own page or server is not that of the site
