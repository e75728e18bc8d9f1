"""The documents name files, commands and Python names that exist."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.test_architecture import missing

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "deploy/README.md", ROOT / "benchmarks/README.md"]
)
CHANGES = ROOT / "CHANGELOG.md"  # names files of earlier versions too
WRITTEN = {"benchmarks/results/latest.json", "causal.json"}  # by a program, when it runs
LONGEST_README = 150
LONGEST_CHANGES = 120  # lines about one version, for people who use it
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """Anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(document: Path, text: str) -> list[str]:
    """Relative links of a document that lead to no file or to no heading."""
    dead = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", re.sub(r"\]\s+\(", "](", text)):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


def programs(text: str) -> list[str]:
    """The Python programs in a document."""
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def unknown_imports(source: str) -> list[str]:
    """Names that a program imports from this project and that are not there. It is parsed, not run."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    own = [node for node in nodes if (node.module or "").split(".")[0] in ("attention_atlas", "model")]
    return [
        alias.name for node in own for alias in node.names if not hasattr(import_module(str(node.module)), alias.name)
    ]


def test_the_changes_of_the_newest_version_are_short():
    newest = CHANGES.read_text(encoding="utf-8").split("\n## ")[1]
    assert newest.count("\n") <= LONGEST_CHANGES


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_files_of_a_document_exist(document: Path):
    text = document.read_text(encoding="utf-8")
    assert dead_links(document, text) == []
    assert document == CHANGES or set(missing(text)) <= WRITTEN


def test_a_dead_link_is_found():
    text = "[a](README.md) [b](nowhere.md) [c](README.md#start) [d](README.md#nowhere) [e](https://a.example)"
    assert dead_links(ROOT / "ARCHITECTURE.md", text) == ["nowhere.md", "README.md#nowhere"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_name_is_defined_in_the_file_that_is_named_with_it(document: Path):
    for name, path in re.findall(r"`(\w+)`\s+(?:of|in)\s+`([\w/]+\.py)`", document.read_text(encoding="utf-8")):
        assert re.search(rf"^(?:def |class |){name}\b", (ROOT / path).read_text(encoding="utf-8"), re.M), (name, path)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_make_target_that_is_named_is_there(document: Path):
    named = set(re.findall(r"(?:`|^|&& )make ([a-z][a-z-]*)", document.read_text(encoding="utf-8"), re.MULTILINE))
    assert [target for target in sorted(named) if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []


@pytest.mark.parametrize("name", ["README.md", "README.ko.md", "docs/python.md"])
def test_what_programs_import_is_there(name: str):
    sources = programs((ROOT / name).read_text(encoding="utf-8"))
    assert sources
    assert [unknown for source in sources for unknown in unknown_imports(source)] == []


def cells(notebook: Path) -> list[str]:
    """The programs in a notebook."""
    parsed = json.loads(notebook.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in parsed["cells"] if cell["cell_type"] == "code"]


def test_readers_and_notebooks_import_the_package_alone():
    """An installed package has none of the folders of a checkout under their names."""
    sources = {path.name: cells(path) for path in sorted((ROOT / "docs").glob("*.ipynb"))}
    sources |= {name: programs((ROOT / name).read_text(encoding="utf-8")) for name in ("README.md", "README.ko.md")}
    assert len(sources) == 5
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"attention_atlas"}
    for name, own in sources.items():
        roots = {root for source in own for root in re.findall(r"^\s*(?:from|import) (\w+)", source, re.MULTILINE)}
        assert "attention_atlas" in roots and not roots & folders, name
        assert [unknown for source in own for unknown in unknown_imports(source)] == []


def test_an_import_that_is_not_there_is_found():
    assert unknown_imports("from model import Translator, Nothing\nfrom torch import nn") == ["Nothing"]


def test_the_korean_readme_has_the_parts_links_and_commands_of_the_english_one():
    english, korean = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.ko.md"))
    links = [set(re.findall(r"\]\(([^)\s]+)\)", re.sub(r"\]\s+\(", "](", text))) for text in (english, korean)]
    assert links[0] - {"README.ko.md"} == links[1] - {"README.md", "docs/translating.md"}
    parts = [re.findall(r"^(?:#+ |- |\| |!|```)", text, re.MULTILINE) for text in (english, korean)]
    assert parts[0] == parts[1]
    commands = [re.findall(r"^(make \w+|pip install .*?)(?: {2,}|$)", text, re.MULTILINE) for text in (english, korean)]
    assert commands[0] == commands[1] and commands[0]


def test_the_readme_is_short_and_has_one_picture_and_the_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_README
    assert len(re.findall(r"^!\[", text, re.MULTILINE)) == 1
    assert "make run" in text and "make test" in text


def test_every_test_file_that_the_makefile_names_has_tests_under_its_markers():
    """`pytest` without a marker leaves out what is marked, and ends with an error where nothing is left."""
    calls = re.findall(r"(?:-m pytest|PYTEST\)) (.*\.py)$", MAKEFILE, re.MULTILINE)
    named = {(re.search(r"-m (\w+)|$", call)[1], call.split()[-1]) for call in calls if "*" not in call}
    assert {file for _, file in named} >= {"tests/browser/test_hostile.py", "tests/browser/test_walk.py"}
    for marker, file in named:
        command = ["pytest", "--collect-only", *(["-m", marker] if marker else []), file]
        collected = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
        assert collected.returncode == 0, f"{' '.join(command)}: {collected.stdout[-300:]}"
