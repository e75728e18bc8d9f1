"""All files that contain the version contain the same one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from views.version import VERSION

ROOT = Path(__file__).parent.parent.parent


def test_every_file_contains_this_version():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION
    assert re.findall(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == VERSION


def test_the_citation_has_all_required_fields():
    fields = dict(re.findall(r"^([\w-]+): *(.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert fields["cff-version"] == "1.2.0"
    assert fields["version"] == VERSION
    assert {"title", "message", "authors", "license", "date-released"} <= set(fields)
