"""The package works after it is built, installed into an empty environment and used from an empty folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("attention_atlas", "model", "views", "assets")
FILES = ("pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE")
PROGRAM = """
import importlib.resources
import importlib.util
from attention_atlas import RecurrentTranslator, Translator, VisionClassifier, frame, open_model, show
import attention_atlas.views.palette
assert importlib.resources.files("attention_atlas").joinpath("py.typed").is_file()
assert importlib.util.find_spec("model") is None and importlib.util.find_spec("views") is None
translator = Translator.load(device="cpu")
trace = translator.trace("I want to buy a car.")
assert trace.verify().max_difference < 1e-5, trace.verify()
show(trace, kind="cross").save("view.html")
show(trace, kind="cross", view="lines").save("lines.html")
assert len(frame(trace, "cross")) == trace.cross_attention.size
from PIL import Image
show(VisionClassifier.load(device="cpu").trace(Image.linear_gradient("L").convert("RGB"))).save("vision.html")
assert RecurrentTranslator.load("lstm-dot", device="cpu").translate("I am a student.")
print(translator.translate("I am a student."))
"""

pytestmark = pytest.mark.nightly


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A copy of the shipped files, since building writes folders next to them."""
    folder = tmp_path_factory.mktemp("source")
    for name in SHIPPED:
        shutil.copytree(ROOT / name, folder / name, ignore=generated)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def generated(folder: str, names: list[str]) -> set[str]:
    """Files that are not shipped: compiled ones and the English catalogue, which `make messages` writes."""
    return {name for name in names if name == "__pycache__" or (folder.endswith("en") and name == "atlas.po")}


def environment(folder: Path) -> tuple[Path, Path]:
    """Python and site-packages of an empty environment that can import this one's packages."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=ROOT)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python", packages


def installed(packages: Path) -> set[str]:
    return {path.name for path in packages.iterdir()} - {"dependencies.pth", "__pycache__"}


def test_a_wheel_installs_one_package_that_works(source: Path, tmp_path: Path):
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    python, packages = environment(tmp_path / "environment")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    assert {name.split("-")[0] for name in installed(packages)} == {"attention_atlas"}
    below = {path.name for path in (packages / "attention_atlas").iterdir() if path.is_dir()} - {"__pycache__"}
    assert below == {"model", "views", "assets"}
    shipped = {
        path.relative_to(source) for name in SHIPPED[1:] for path in (source / name).rglob("*") if path.is_file()
    }
    present = {path.relative_to(packages / "attention_atlas") for path in (packages / "attention_atlas").rglob("*")}
    checkout = {path for path in shipped if path.is_relative_to("assets/positions")}  # read from the checkout alone
    assert {path for path in shipped - checkout - present if path.suffix != ".pyc"} == checkout & present == set()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(python, "-c", PROGRAM, cwd=empty).strip() == "Je suis \u00e9tudiant."
    assert (empty / "view.html").stat().st_size > 50_000


def test_an_editable_install_follows_the_checkout(source: Path, tmp_path: Path):
    python, packages = environment(tmp_path / "environment")
    options = ["--no-deps", "--no-build-isolation", "--no-index"]
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, "-e", source, cwd=tmp_path)
    assert not {"model", "views"} & installed(packages)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(python, "-c", PROGRAM, cwd=empty).strip()
    location = run(python, "-c", "import attention_atlas.model as package; print(package.__file__)", cwd=empty).strip()
    assert Path(location) == source / "model" / "__init__.py"
