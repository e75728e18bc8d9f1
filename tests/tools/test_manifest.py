"""The manifest lists every file that ships in assets with its hash, and a stale one does not pass."""

from __future__ import annotations

import json
import subprocess

import pytest

from model.runtime.checkpoint import manifest_content, recorded_sha256
from tools import manifest


def test_every_shipped_file_has_a_hash():
    tracked = subprocess.run(
        ["git", "ls-files", "assets"], cwd=manifest.ROOT, capture_output=True, text=True, check=True
    )
    names = set(tracked.stdout.split()) - {f"assets/{manifest.NAME}"}
    assert len(names) > 100
    assert not [name for name in names if recorded_sha256(manifest.ROOT / name) is None]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A repository with two files in its folder of assets."""
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.md").write_text("one")
    (tmp_path / "b.json").write_text("{}")
    (tmp_path / ".gitignore").write_text("*.part\n")
    (tmp_path / "left.part").write_text("not shipped")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(manifest, "ASSETS", tmp_path)
    return tmp_path


def listed(folder):
    return set(json.loads((folder / manifest.NAME).read_text())["sha256"])


def test_the_tool_writes_what_it_checks(folder, capsys, monkeypatch):
    monkeypatch.setattr(manifest, "shipped_files", lambda files=manifest.shipped_files: files(folder))
    assert manifest.main(["--check"]) == 1 and not (folder / manifest.NAME).exists()
    assert manifest.main([]) == 0 and listed(folder) == {"text/a.md", "b.json", ".gitignore"}
    assert manifest.main(["--check"]) == 0
    written = (folder / manifest.NAME).read_bytes()
    assert written == manifest_content(json.loads(written)["sha256"])  # as training writes it


@pytest.mark.parametrize("change", ["altered", "new", "removed"])
def test_a_stale_manifest_fails_and_names_the_command(folder, capsys, monkeypatch, change):
    monkeypatch.setattr(manifest, "shipped_files", lambda files=manifest.shipped_files: files(folder))
    manifest.main([])
    if change == "removed":
        (folder / "b.json").unlink()
    else:
        (folder / ("b.json" if change == "altered" else "c.json")).write_text("[]")
    assert manifest.main(["--check"]) == 1
    output = capsys.readouterr().out
    assert manifest.COMMAND in output and ("c.json" if change == "new" else "b.json") in output
