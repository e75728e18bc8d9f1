"""Modules and names are renamed wherever they are used, and nowhere else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools import rename

FILES = {
    "server/__init__.py": "",
    "server/door.py": "LIMIT = 3\n\n\ndef show(limit=LIMIT):\n    return limit\n",
    "views/__init__.py": "",
    "views/page.py": "from .parts import Part\nfrom . import parts\n\n\nclass Page(parts.Part):\n    part = Part()\n",
    "views/parts.py": "class Part:\n    pass\n",
    "pages/__init__.py": "",
    "pages/home.py": (
        "from server import door\nfrom server.door import LIMIT, show\n\n\n"
        "def run(show_all):\n    door.show(LIMIT)\n    return show() + show_all\n\n\n"
        "def other(door, show):\n    return door.show + show\n"
    ),
    "tests/server/test_door.py": 'from server import door\n\n\ndef test(patch):\n    patch.setattr(door, "show", 1)\n',
    "README.md": "See `server/door.py`, `server.door.show` and `server/doors.py`.\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    monkeypatch.setattr(rename, "ROOT", tmp_path)
    monkeypatch.setattr(rename, "format_sources", lambda: None)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["rename", *arguments])
    rename.main()


def test_a_module_moves_with_its_test_and_every_use(repository: Path, monkeypatch: pytest.MonkeyPatch):
    moves = repository / "moves.json"
    moves.write_text(json.dumps({"server.door": "server.middleware", "views.parts": "pages.component"}))
    run(monkeypatch, "--moves", str(moves))
    assert not (repository / "server/door.py").exists()
    home = (repository / "pages/home.py").read_text()
    assert "from server import middleware\nfrom server.middleware import LIMIT, show" in home
    assert "    middleware.show(LIMIT)" in home
    assert "def other(door, show):\n    return door.show + show" in home  # a parameter of the same name
    page = (repository / "views/page.py").read_text()
    assert page.startswith("from pages.component import Part\nfrom pages import component\n")  # of another package
    assert "class Page(component.Part)" in page
    assert "from server import middleware" in (repository / "tests/server/test_middleware.py").read_text()
    text = (repository / "README.md").read_text()
    assert text == "See `server/middleware.py`, `server.middleware.show` and `server/doors.py`.\n"


def test_the_same_command_updates_an_older_branch(repository: Path, monkeypatch: pytest.MonkeyPatch):
    moves = repository / "moves.json"
    moves.write_text(json.dumps({"server.door": "server.middleware"}))
    run(monkeypatch, "--moves", str(moves))
    older = repository / "pages/older.py"
    older.write_text("import server.door\nfrom server import door\n\nprint(door.show, server.door.LIMIT)\n")
    run(monkeypatch, "--moves", str(moves))
    new = "import server.middleware\nfrom server import middleware\n\nprint(middleware.show, server.middleware.LIMIT)\n"
    assert older.read_text() == new


def test_a_function_is_renamed_by_scope(repository: Path, monkeypatch: pytest.MonkeyPatch):
    run(monkeypatch, "--name", "server.door:show=render", "--name", "views.parts:Part=Component")
    assert "def render(limit=LIMIT)" in (repository / "server/door.py").read_text()
    home = (repository / "pages/home.py").read_text()
    assert "from server.door import LIMIT, render\n" in home
    assert "    door.render(LIMIT)\n    return render() + show_all" in home
    assert "def other(door, show):\n    return door.show + show" in home
    assert 'setattr(door, "render", 1)' in (repository / "tests/server/test_door.py").read_text()
    assert "`server.door.render`" in (repository / "README.md").read_text()
    assert "class Page(parts.Component):\n    part = Component()" in (repository / "views/page.py").read_text()


def test_a_name_of_one_of_two_modules_is_renamed(repository: Path, monkeypatch: pytest.MonkeyPatch):
    page = repository / "pages/either.py"
    page.write_text("from server import door\nfrom views import parts\n\nprint((door if parts else parts).show)\n")
    run(monkeypatch, "--name", "server.door:show=render")
    assert page.read_text().endswith("print((door if parts else parts).render)\n")


def test_a_collision_is_reported(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    run(monkeypatch, "--name", "server.door:show=show_all")
    assert "pages/home.py:7: show_all is used there already" in capsys.readouterr().err
