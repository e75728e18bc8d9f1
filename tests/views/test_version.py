"""Everything that states a version states the same one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from views.version import VERSION

ROOT = Path(__file__).parent.parent.parent


def test_every_file_that_states_the_version_states_this_one():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION
    assert re.findall(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == VERSION


def test_a_citation_has_what_the_format_asks_for():
    told = dict(re.findall(r"^([\w-]+): *(.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert told["cff-version"] == "1.2.0"
    assert told["version"] == VERSION
    assert {"title", "message", "authors", "license", "date-released"} <= set(told)
