"""What the documents name is there."""

from __future__ import annotations

import re

import pytest

from tests.processes import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_is_named_is_there(document):
    text = document.read_text(encoding="utf-8")
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [path for path in linked if not (document.parent / path).exists()] == []
    floors = "model|views|pages|server|tests|tools|assets|docs|deploy|benchmarks"
    named = re.findall(rf"`((?:{floors})/[\w./-]+)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_what_adding_tells_to_call_is_there():
    """A file holds the function, class or table that is said to be in it."""
    text = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
    for name, path in re.findall(r"`(\w+)`(?:,\s*`\w+`)*\s+(?:of|in)\s+`([\w/]+\.py)`", text):
        assert re.search(rf"^(?:def |class |){name}\b", (ROOT / path).read_text(encoding="utf-8"), re.M), (name, path)
