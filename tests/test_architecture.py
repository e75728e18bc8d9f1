"""ARCHITECTURE.md and CONTRIBUTING.md name files, folders and layers that exist, and leave out none of the packages."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from tests.test_layers import FORBIDDEN, ROOT
from tools import manifest

ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
DOCUMENTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("ARCHITECTURE.md", "CONTRIBUTING.md")}
BUILT = {"build", "dist", "env", "node_modules", "venv", "__pycache__"}  # made by tools, not part of the project
FEWEST_QUESTIONS, MOST_QUESTIONS = 10, 20
MOST_ASSETS = 135_000_000  # bytes of all that ships
EXPECTED_QUESTIONS = ("colour scale", "lines", "Back", "checkpoint", "CSV", "shortcuts")


@cache
def folders() -> dict[str, bool]:
    """Top-level folders and the ones inside them -> whether files of Python or TypeScript are below."""

    def has_sources(folder: Path) -> bool:
        sources = (*folder.rglob("*.py"), *folder.rglob("*.ts"))
        return any(not BUILT & {*path.relative_to(folder).parts} for path in sources)

    result = {}
    for top in ROOT.iterdir():
        if top.is_dir() and top.name not in BUILT and not top.name.startswith("."):
            for folder in (top, *(path for path in top.iterdir() if path.is_dir())):
                if folder.name not in BUILT and not folder.name.startswith("."):
                    result[folder.relative_to(ROOT).as_posix()] = has_sources(folder)
    return result


def packages() -> set[str]:
    """Folders of the first and the second level that contain source files."""
    return {folder for folder, has_sources in folders().items() if has_sources}


@cache
def file_names() -> set[str]:
    """Names of all files of the project, without their folders."""
    tops = [ROOT / folder for folder in folders() if "/" not in folder]
    return {path.name for top in tops for path in top.rglob("*.*")} | {path.name for path in ROOT.iterdir()}


def paths_in(text: str) -> set[str]:
    """Paths of this repository in a text; none of those with placeholders, such as `pages/<page>`."""
    plain = re.sub(r"\S*[<*{]\S*", " ", text.replace("<br>", " "))
    tops = "|".join(folder for folder in folders() if "/" not in folder)
    return set(re.findall(rf"(?<![\w./-])((?:{tops})/[\w./-]*\w|app\.py)", plain))


def missing(text: str) -> list[str]:
    """Paths and file names in a text that do not exist."""
    names = re.findall(r"`([\w-]+\.(?:cff|css|js|json|md|py|toml|txt))`", text)
    return sorted(
        [path for path in paths_in(text) if not (ROOT / path).exists()]
        + [name for name in names if name not in file_names()]
    )


def section(text: str, heading: str) -> str:
    """The text below a heading of the second level, up to the next one."""
    match = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"no section {heading}"
    return match[1]


def listed_folders(text: str) -> Counter[str]:
    """Folders in the tree of the layers, without their last slash."""
    tree = re.search(r"^```\n(.*?)^```", section(text, "Layers"), re.MULTILINE | re.DOTALL)
    assert tree, "no tree of the layers"
    return Counter(path.rstrip("/") for path in re.findall(r"(?<![\w./-])[\w/]+/(?=\s|$)", tree[1]))


def table(text: str) -> list[list[str]]:
    """Cells of the rows of the tables in a text, without headings."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    rules = {place for place, row in enumerate(rows) if all(set(cell) <= set("-: ") for cell in row)}
    return [row for place, row in enumerate(rows) if place not in rules and place + 1 not in rules]


def questions(text: str) -> list[list[str]]:
    """Question and answer of each row."""
    return table(section(text, "Questions a newcomer asks"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_named_in_a_document_exists(name: str):
    assert len(paths_in(DOCUMENTS[name])) > 40
    assert missing(DOCUMENTS[name]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`views/palette.py` and `views/pallete.py`", ["views/pallete.py"]),
        ('a["server/queue.py<br>runs"] --> b', ["server/queue.py"]),
        ("`pages/<page>`, `tests/browser/test_<name>.py`, `requirements*.txt`, and/or", []),
        ("`app.py`, `nothing_like_it.py`", ["nothing_like_it.py"]),
        ("in the folder model/nowhere.", ["model/nowhere"]),
    ],
)
def test_a_file_that_does_not_exist_is_reported(text: str, expected: list[str]):
    assert missing(text) == expected


def test_every_package_is_in_the_tree_of_the_layers_once():
    listed = listed_folders(ARCHITECTURE)
    assert {folder for folder, count in listed.items() if count > 1} == set()
    assert set(listed) == packages()


def test_a_folder_in_the_tree_is_read_wherever_it_is_in_its_line():
    text = "## Layers\n\n```\napp.py   entry\nmodel/   as views/html/ and/or that\nmodel/   again\n```\n"
    assert listed_folders(text) == {"model": 2, "views/html": 1}


def test_the_table_of_the_layers_names_every_package_and_agrees_with_the_tested_rules():
    rows = [[set(re.findall(r"`([\w./]+)`", cell)) for cell in row] for row in table(section(ARCHITECTURE, "Layers"))]
    named = set().union(*(layers for layers, *_ in rows))
    assert named == {folder for folder in packages() if "/" not in folder} | {"app.py"}
    for layers, allowed, never in rows:
        for layer in layers & FORBIDDEN.keys():
            assert not allowed & FORBIDDEN[layer], f"{layer} may not import {sorted(allowed & FORBIDDEN[layer])}"
            assert never & {"model", "views", "server", "app"} <= FORBIDDEN[layer], layer


def test_every_question_is_answered_by_a_file():
    rows = questions(ARCHITECTURE)
    assert FEWEST_QUESTIONS <= len(rows) <= MOST_QUESTIONS
    assert [question for question, answer in rows if not paths_in(answer)] == []
    joined = " ".join(question for question, _ in rows)
    assert [words for words in EXPECTED_QUESTIONS if words not in joined] == []


def test_tasks_are_described_with_the_files_that_they_change():
    tasks = re.findall(
        r"^\*\*(.*?)\.\*\*(.*?)(?=^\*\*|\Z)", section(ARCHITECTURE, "Four tasks, step by step"), re.M | re.S
    )
    names = ["Add a lesson", "Find why a map is grey or empty", "Change the beam width", "Change what key F does"]
    assert [name for name, _ in tasks] == names
    assert all(len(paths_in(task)) >= 3 for _, task in tasks)


def test_an_answer_without_a_file_is_found():
    rows = "| question | answer |\n| --- | --- |\n| Where? | in the code |\n| Who? | `app.py` |\n"
    text = f"## Questions a newcomer asks\n\n{rows}"
    assert [question for question, answer in questions(text) if not paths_in(answer)] == ["Where?"]


def test_each_data_flow_and_the_state_have_a_diagram():
    flows = re.findall(
        r"^```mermaid\nflowchart (.*?)^```", section(ARCHITECTURE, "Data flow"), re.MULTILINE | re.DOTALL
    )
    assert len(flows) == 3
    assert all(len(paths_in(flow)) >= 8 for flow in flows)
    states = re.findall(
        r"^```mermaid\nstateDiagram-v2\n(.*?)^```", section(ARCHITECTURE, "Where state lives"), re.MULTILINE | re.DOTALL
    )
    assert len(states) == 1
    assert set(re.findall(r'^ *state ".*" as (\w+)', states[0], re.MULTILINE)) == {"Address", "Session", "Browser"}


def test_every_layer_has_a_row_in_the_table_of_tests():
    rows = table(section(DOCUMENTS["CONTRIBUTING.md"], "Which tests for which change"))
    named = " ".join(row[0] for row in rows)
    tested = [folder for folder in FORBIDDEN if "/" not in folder and folder not in ("tools", "benchmarks")]
    assert [folder for folder in tested if f"`{folder}" not in named] == []


def test_the_manifest_is_up_to_date():
    current = (manifest.ASSETS / manifest.NAME).read_text(encoding="utf-8")
    changed = manifest.differences(current, manifest.manifest(manifest.ASSETS, manifest.shipped_files()))
    assert not changed, f"run `{manifest.COMMAND}`: the hashes of {changed} are stale"


def test_what_ships_is_within_its_budget():
    assert sum(path.stat().st_size for path in manifest.shipped_files()) <= MOST_ASSETS


@pytest.mark.parametrize("name", ["positions.json", "none/card.json", "sinusoidal/snapshots/step-000000.safetensors"])
def test_the_wheel_leaves_out_networks_that_are_read_from_the_checkout(name: str):
    """Setuptools matches these patterns by `fnmatch`, whose asterisk takes slashes too."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = settings["exclude-package-data"]["attention_atlas.assets"]
    assert any(fnmatch(f"positions/{name}", pattern) for pattern in patterns)
