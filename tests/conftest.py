"""Settings that every test shares."""

from functools import cache

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner
from xdist.scheduler import LoadFileScheduling

BROWSER = "tests/browser/"

settings.register_profile("atlas", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("atlas")


@pytest.fixture(scope="session", autouse=True)
def installed_packages_are_read_once():
    """Cache Streamlit's search for components in all installed packages, which takes most of each `AppTest` run.

    A server searches once. If Streamlit moves the function, tests only become slower.
    """
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


class _BrowserTestsTogether(LoadFileScheduling):
    """Gives all browser tests to one process, which starts the app and the browser once."""

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return BROWSER if scope.startswith(BROWSER) else scope


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Distribute by file, but all browser tests to one process."""
    return _BrowserTestsTogether(config, log) if config.getvalue("dist") == "loadfile" else None
