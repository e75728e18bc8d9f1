"""A run of a page first imports the packages that other threads may be importing at the same time."""

from __future__ import annotations

import subprocess
import sys

from tests.pages.conftest import ROOT

FIRST_RUN = """
import sys
from pages.shared import fragments
assert "model" not in sys.modules
with fragments.queued_run("translate"):
    sys.exit("model" not in sys.modules)
"""


def test_a_first_run_imports_the_whole_model_package_first():
    """A page that imported a module of it first could deadlock with the warm-up, which imports the whole."""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FIRST_RUN], cwd=ROOT).returncode == 0
