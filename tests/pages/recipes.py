"""Run the recipe in the archive of a causal result."""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile

from pages.shared import files


def record_files(monkeypatch) -> dict:
    """Record the makers of files that a page offers, by name, instead of rendering buttons."""
    makers: dict = {}
    monkeypatch.setattr(files, "download", lambda label, make, name: makers.update({name: make}))
    return makers


def run_recipe(makers: dict, name: str, folder, monkeypatch, archive: str = "") -> tuple[list[str], dict]:
    """Run the recipe of an archive in a folder; return the lines that it prints, and `settings.json`.

    Args:
        archive: its file name; `circuits-<name>.zip` if empty.
    """
    read = zipfile.ZipFile(io.BytesIO(makers[archive or f"circuits-{name}.zip"]()))
    assert read.namelist() == ["README.txt", f"{name}.csv", f"{name}.npz", "settings.json"]
    assert read.read(f"{name}.csv").count(b"\n") > 2
    read.extract(f"{name}.npz", folder)
    readme = read.read("README.txt").decode()
    assert "](" not in readme
    (code,) = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    monkeypatch.undo()
    return printed.getvalue().splitlines(), json.loads(read.read("settings.json"))
