"""`make run` on a fresh machine, with an old Python, and with a broken `.venv`; nothing is downloaded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.processes import ROOT

OLD_PYTHON = '#!/bin/sh\ncase "$1" in -c) echo 3.10;; *) echo "an old Python was used: $*" >&2; exit 1;; esac\n'
SITE_PACKAGES = Path(sysconfig.get_path("purelib", "venv", {"base": "venv"})).relative_to("venv")


# A replacement of `pip install` that only unpacks the wheel next to it: half a second faster.
QUICK_PIP = """
import sys, sysconfig, zipfile
if sys.argv[1] == "install":
    zipfile.ZipFile("streamlit-1.0-py3-none-any.whl").extractall(sysconfig.get_path("purelib"))
"""


@pytest.fixture(scope="session")
def quick_python(tmp_path_factory):
    """A Python that creates a virtual environment by copying one, which takes a third of the time."""
    return python_that_copies(tmp_path_factory.mktemp("python"))


@pytest.fixture(scope="session")
def quicker_python(tmp_path_factory):
    """The same, with a pip that only unpacks the project's one wheel."""
    folder = tmp_path_factory.mktemp("quicker")
    program = python_that_copies(folder)
    installed = folder / "empty" / SITE_PACKAGES
    shutil.rmtree(installed)
    write_program(installed / "pip" / "__main__.py", QUICK_PIP)
    return program


def python_that_copies(folder: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", folder / "empty"], check=True)
    program = folder / "python"
    copies = f'"-m venv") cp -a "{folder}/empty" "$3";;'
    write_program(program, f'#!/bin/sh\ncase "$1 $2" in {copies} *) exec "{sys.executable}" "$@";; esac\n')
    return str(program)


@pytest.fixture
def project(tmp_path):
    """A project with this one's Makefile and its own package `streamlit`, which only prints a line."""
    for name in ("Makefile", "environment.sh"):
        shutil.copy(ROOT / name, tmp_path / name)
    files = {
        "streamlit/__init__.py": "",
        "streamlit/__main__.py": "print('the app runs')\n",
        "streamlit-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: streamlit\nVersion: 1.0\n",
        "streamlit-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "streamlit-1.0.dist-info/RECORD"
    files[record] = "".join(f"{name},,\n" for name in [*files, record])
    with zipfile.ZipFile(tmp_path / "streamlit-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
    (tmp_path / "requirements.txt").write_text("--no-index\n--find-links .\nstreamlit==1.0\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements.txt\n")
    return tmp_path


def make_run(project: Path, python: str = sys.executable, path: str = "") -> subprocess.CompletedProcess:
    """Run `make run` there."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "PIP_", "VIRTUAL"))}
    settings["PATH"] = os.pathsep.join(filter(None, (path, settings["PATH"])))
    command = ["make", "--silent", "run", *([f"PYTHON={python}"] if python else [])]
    return subprocess.run(command, cwd=project, env=settings, capture_output=True, text=True, timeout=300)


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def test_an_old_python_is_reported_before_anything_is_created(project):
    write_program(project / "programs" / "python3", OLD_PYTHON)
    done = make_run(project, python="", path=str(project / "programs"))
    assert done.returncode != 0
    assert "Python 3.11 to 3.14 is needed; python3 is 3.10." in done.stderr
    assert "make run PYTHON=python3.12" in done.stderr
    assert "an old Python was used" not in done.stderr
    assert not (project / ".venv").exists()


@pytest.mark.parametrize(
    ("version", "accepted"), [("3.10", 0), ("3.11", 1), ("3.14", 1), ("3.15", 0), ("2.7", 0), ("", 0)]
)
def test_versions_from_3_11_to_3_14_are_accepted(project, version, accepted):
    write_program(project / "named", f'#!/bin/sh\ncase "$1" in -c) echo {version};; *) echo "made with $*";; esac\n')
    done = make_run(project, python="./named")
    assert ("made with -m venv .venv" in done.stdout) == bool(accepted)
    assert ("is needed" in done.stderr) != bool(accepted)


def test_a_missing_python_is_reported(project):
    done = make_run(project, python="python3.99")
    assert "Python 3.11 to 3.14 is needed; python3.99 is not to be found." in done.stderr


def no_python(venv: Path) -> None:
    """Its interpreter is missing, as after an update of the system."""
    for link in (venv / "bin").glob("python*"):
        link.unlink()
        link.symlink_to("/nowhere/python")


def creation_stopped(venv: Path) -> None:
    """Its creation was interrupted before pip was installed."""
    shutil.rmtree(venv)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)


def installation_stopped(venv: Path) -> None:
    """The first installation was interrupted."""
    for mark in venv.glob(".*-ready"):
        mark.unlink()
    (venv / SITE_PACKAGES / "streamlit" / "__main__.py").unlink()


def half_a_package(venv: Path) -> None:
    (venv / SITE_PACKAGES / "streamlit" / "__main__.py").unlink()


def no_record(venv: Path) -> None:
    (venv / SITE_PACKAGES / "streamlit-1.0.dist-info" / "RECORD").unlink()
    (venv / SITE_PACKAGES / "streamlit" / "__main__.py").unlink()


def package_removed(venv: Path) -> None:
    shutil.rmtree(venv / SITE_PACKAGES / "streamlit-1.0.dist-info")
    shutil.rmtree(venv / SITE_PACKAGES / "streamlit")


def pip_broken(venv: Path) -> None:
    (venv / SITE_PACKAGES / "pip" / "__main__.py").unlink()


def old_python(venv: Path) -> None:
    write_program(venv / "bin" / "python", OLD_PYTHON)


def not_a_folder(venv: Path) -> None:
    shutil.rmtree(venv)
    venv.write_text("", encoding="utf-8")


BROKEN = (
    no_python, creation_stopped, installation_stopped, half_a_package, no_record, package_removed, pip_broken,
    old_python, not_a_folder,
)  # fmt: skip


@pytest.mark.nightly
def test_a_broken_environment_is_recreated_and_a_complete_one_is_not(project, quicker_python):
    first = make_run(project, quicker_python)
    assert (first.returncode, first.stdout) == (0, "the app runs\n"), first.stderr
    mark = project / ".venv" / "kept"
    mark.touch()
    assert make_run(project, quicker_python).stdout == "the app runs\n"
    assert mark.exists()
    saved = project / "whole"
    shutil.copytree(project / ".venv", saved, symlinks=True)
    for breaks in BROKEN:
        breaks(project / ".venv")
        done = make_run(project, quicker_python)
        assert (done.returncode, done.stdout) == (0, "the app runs\n"), (breaks.__name__, done.stderr)
        if (project / ".venv").is_dir():
            shutil.rmtree(project / ".venv")
        shutil.copytree(saved, project / ".venv", symlinks=True)


@pytest.mark.nightly
def test_new_requirements_are_installed_into_the_same_environment(project, quick_python):
    make_run(project, quick_python)
    mark = project / ".venv" / "kept"
    mark.touch()
    requirements = project / "requirements.txt"
    requirements.write_text("--no-index\nno-such-package==1.0\n")
    os.utime(requirements, (mark.stat().st_mtime + 5,) * 2)
    failed = make_run(project, quick_python)
    assert failed.returncode != 0 and "no-such-package" in failed.stderr
    requirements.write_text("--no-index\n--find-links .\nstreamlit>=1.0\n")
    assert make_run(project, quick_python).stdout == "the app runs\n"
    assert not mark.exists()  # the failed installation may have left the environment in any state
    mark.touch()
    os.utime(requirements, (mark.stat().st_mtime + 5,) * 2)
    assert make_run(project, quick_python).stdout == "the app runs\n"
    assert mark.exists()


def test_the_versions_are_stated_consistently():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    script = (ROOT / "environment.sh").read_text()
    oldest, newest = (int(re.search(rf"^{name}=(\d+)", script, re.M)[1]) for name in ("oldest", "newest"))
    assert stated == f">=3.{oldest},<3.{newest + 1}"
    assert f"Python 3.{oldest} to 3.{newest}" in (ROOT / "README.md").read_text()
