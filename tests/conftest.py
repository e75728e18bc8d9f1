"""Settings that every test shares."""

from functools import cache

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner

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
