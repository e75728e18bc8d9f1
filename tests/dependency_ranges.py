"""Try the ends of all ranges, each in an environment of its own: `make test-oldest`.

The app opens every page with the oldest versions that requirements.txt allows; the oldest release series of each range
is taken (`pandas>=2.2,<4` -> `pandas==2.2.*`), wheels only. `make test` runs with the newest ones. The package is used
as a researcher does (`tests.package_use`) with the oldest versions of pyproject.toml, with the newest ones, and
with the newest beside TransformerLens and captum.

    python -m tests.dependency_ranges app oldest newest beside   # all, or some of these
    python -m tests.dependency_ranges oldest --share-torch       # with the PyTorch of this environment, not downloaded
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements.txt"
SENTENCE = "I am a student."
ENDS = ["app", "oldest", "newest", "beside"]


def oldest(requirement: str) -> str:
    """Return the requirement for the oldest series of a range; what has no lower bound stays as it is.

    A bound of one or two numbers means a series, one of three numbers a release.
    """
    bound = re.search(r">=\s*([\d.]+)[^;]*", requirement)
    if not bound:
        return requirement
    numbers = bound[1].split(".")
    version = bound[1] if len(numbers) > 2 else ".".join([*numbers, "0"][:2]) + ".*"
    return requirement.replace(bound[0].rstrip(), f"=={version}").strip()


def requirements() -> list[str]:
    """The lines of requirements.txt that name packages, each with its oldest version."""
    lines = (line.strip() for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines())
    return [oldest(line) for line in lines if line and line[0] not in "#-"]


def open_every_page() -> None:
    """Translate, check the trace, run every page with the installed versions, and print these.

    Raises:
        AssertionError: an output is wrong, or a page shows an exception.
    """
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    from model import Translator
    from views import navigation

    translator = Translator.load(device="cpu")
    assert translator.translate(SENTENCE) == "Je suis \u00e9tudiant."
    assert translator.trace(SENTENCE).verify().max_difference < 1e-5
    for page in navigation.PAGES:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params["text"] = SENTENCE
        app._page_hash = calc_hash("" if page is navigation.PAGES[0] else page.id)
        app.run()
        assert not app.exception, (page.id, app.exception)
        print(f"{page.id}: opened")
    names = [re.match(r"[\w-]+", line)[0] for line in requirements()]
    print(f"Python {sys.version.split()[0]}, " + ", ".join(f"{name} {version(name)}" for name in names))


def package_requirements(end: str) -> list[str]:
    """The package's own requirements and those of its study, at one end of their ranges.

    Args:
        end: "oldest", "newest", or "beside", the newest with two tools that researchers have installed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["study"]]
    if end == "oldest":
        return [oldest(line) for line in lines]
    return [*lines, *(["transformer-lens>=3.9", "captum>=0.8"] if end == "beside" else [])]


def try_in_environment(requirements: list[str], program: list[str], share_torch: bool = False) -> None:
    """Install into an environment in a temporary folder and run a module of the tests in it."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        install += ["--no-binary", "transformers-stream-generator"]  # TransformerLens needs it, and it has no wheel
        if share_torch:  # what is installed here is seen after what the environment has itself
            packages = next(Path(folder).glob("lib/python*/site-packages"))
            (packages / "zz_shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
            requirements = [line for line in requirements if not line.startswith("torch")]
            install.append("--upgrade")  # not --ignore-installed: accelerate asks for torch, and would download it
        subprocess.run([*install, *requirements], check=True)
        subprocess.run([python, "-W", "ignore", "-m", *program], check=True, cwd=ROOT)


def main(arguments: list[str]) -> None:
    """Try the named ends of ranges, all by default."""
    share_torch = "--share-torch" in arguments
    for end in [word for word in arguments if not word.startswith("--")] or ENDS:
        print(f"{end}:", flush=True)
        if end == "app":
            try_in_environment(requirements(), ["tests.dependency_ranges", "pages"])
        else:
            try_in_environment(package_requirements(end), ["tests.package_use"], share_torch)


if __name__ == "__main__":
    open_every_page() if sys.argv[1:] == ["pages"] else main(sys.argv[1:])
