"""Install the oldest versions that requirements.txt allows and open every page with them: `make test-oldest`.

The oldest release series of each range is taken (`pandas>=2.2,<4` -> `pandas==2.2.*`), wheels only. `make test` runs
with the newest ones.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements.txt"
SENTENCE = "I am a student."


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
    """Translate, check the trace, and run every page with the installed versions.

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


def main() -> None:
    """Create the environment in a temporary folder, install, and open every page in it."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([python, *install, *requirements()], check=True)
        subprocess.run([python, "-m", "tests.dependency_ranges", "pages"], check=True, cwd=ROOT)


if __name__ == "__main__":
    open_every_page() if sys.argv[1:] == ["pages"] else main()
