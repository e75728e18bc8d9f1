"""The package without the app: what it imports, and what it says where a package is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

import pytest

from tests.processes import ROOT

APP = ("streamlit", "plotly", "pandas", "starlette", "babel", "uvicorn", "pyarrow", "torchvision")
SHOW = f"""
import sys
for name in {APP!r}:
    sys.modules[name] = None  # an import of it fails
import numpy as np
from attention_atlas import frame, open_model, show
weights = np.full((2, 2, 3, 3), 1 / 3, dtype=np.float32)
for view in ("maps", "lines"):
    shown = show(weights, list("abc"), view=view)
    assert "<iframe" in shown._repr_html_()
assert not [name for name in sys.modules if name.split(".")[0] in {APP!r} and sys.modules[name] is not None]
assert "transformers" not in sys.modules, "it takes seconds to import, and is needed to open a model only"
"""


def run(program: str, *options: str, **settings: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | settings
    command = [sys.executable, *options, "-c", program] if program else [sys.executable, *options]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)


def test_importing_and_showing_needs_nothing_of_the_app():
    done = run(SHOW)
    assert done.returncode == 0, done.stderr


def test_a_frame_and_a_component_say_what_to_install(monkeypatch, translated):
    from attention_atlas import frame
    from views.controls import widgets

    monkeypatch.setattr("builtins.__import__", without("pandas", "streamlit"))
    with pytest.raises(ImportError, match="not installed; run: pip install pandas$"):
        frame(translated)
    with pytest.raises(ImportError, match=r"run in its checkout: pip install '\.\[app\]'$"):
        widgets.st.write("a")


def without(*packages: str):
    """An import that does not find some packages."""
    usual = __import__

    def importing(name: str, *arguments: object, **options: object):
        if name in packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return usual(name, *arguments, **options)

    return importing


def test_the_app_says_what_to_install(tmp_path):
    (tmp_path / "prometheus_client.py").write_text(
        "raise ModuleNotFoundError('No module named prometheus_client', name='prometheus_client')"
    )
    done = run("import app", PYTHONPATH=str(tmp_path))
    sentence = "The app needs prometheus_client, which is not installed; run: pip install '.[app]'\n"
    assert done.returncode == 1 and done.stderr.endswith(sentence) and "Traceback" not in done.stderr


def ranges(lines: list[str]) -> dict[str, str]:
    """Name of a package -> its range."""
    found = {}
    for line in lines:
        end = next((place for place, char in enumerate(line) if char in "<>=;["), len(line))
        found[line[:end]] = line[end:].replace('"', "'")
    return found


def test_the_app_s_extra_has_the_ranges_of_its_environment():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    of_app = ranges([line for line in lines if line and line[0] != "#"])
    base, extra = ranges(project["dependencies"]), ranges(project["optional-dependencies"]["app"])
    transitive = {"huggingface-hub"}  # by transformers
    assert set(of_app) - set(base) - transitive == set(extra)
    assert {name: of_app[name] for name in extra} == extra
    assert not set(base) & set(extra)
    study = ranges(project["optional-dependencies"]["study"])
    assert {"pyarrow", "tqdm", "accelerate"} == set(study)
