"""A run of a page begins with what other threads may be importing at the same moment."""

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
    """A page that began with a part of it and the warm-up, which begins with the whole, would wait for each other."""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FIRST_RUN], cwd=ROOT).returncode == 0
