"""The files that ship are those that web/ builds, and web/ has no type errors, no lint and no failing test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tools import npm
from views.viewer import built_files

PROGRAMS = {
    "build": ("build.mjs",),  # and the folder for the files
    "types": ("node_modules/typescript/bin/tsc", "--noEmit"),
    "lint": ("node_modules/eslint/bin/eslint.js", "."),
    "scripts": ("node_modules/vitest/vitest.mjs", "run"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder for built files."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """The programs of web/, which run at the same time: each of them waits for files and leaves a core idle."""
    assert npm.ready() == 0
    started: dict[str, subprocess.Popen[str]] = {}
    with ExitStack() as ended:
        for name, arguments in PROGRAMS.items():
            command = [npm.NODE, *arguments, *([folder] if name == "build" else [])]
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
            started[name] = ended.enter_context(subprocess.Popen(command, cwd=npm.WEB, **pipes))
            ended.callback(started[name].kill)
        yield started


def output(running: dict[str, subprocess.Popen[str]], name: str) -> str:
    """Wait for a program; its output, which is part of the failure."""
    text, _ = running[name].communicate()
    assert running[name].returncode == 0, text
    return text


def test_shipped_files_are_built_from_the_source(running, folder):
    output(running, "build")
    built, shipped = (
        {path.name: path.read_bytes() for path in each.iterdir()} for each in (folder, built_files.FOLDER)
    )
    assert sorted(built) == sorted(shipped), "run `make web`"
    assert built == shipped


def test_types(running):
    output(running, "types")


def test_lint(running):
    output(running, "lint")


def test_scripts(running):
    assert " passed" in output(running, "scripts")
