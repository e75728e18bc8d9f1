"""Fixtures: three real replicas behind a real nginx, started once for all tests that need them.

These tests are slow: they have the mark `deploy`, and `make test-deploy` runs them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import conftest as journeys
from tests.browser.chromium import FLAGS, installed_chromium
from tests.browser.conftest import PATIENCE, Server, first_visit
from tests.browser.policy import Watch
from tests.deploy.replicas import Site

# all fixtures of the journeys, but for those below
globals().update(
    {name: each for name, each in vars(journeys).items() if type(each).__name__ == "FixtureFunctionDefinition"}
)


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("site")) as site:
        yield site
        logs = [replica.log() for replica in site.replicas]
        output = site.proxy.log()
    # Starlette prints one for each aborted upload; the proxy aborts those that are too large
    assert all(log.count("Traceback") == log.count("ClientDisconnect()") for log in logs), logs
    # nginx logs only errors of its own at the configured level
    assert not [line for line in output.splitlines() if "[crit]" in line or "[emerg]" in line or "[alert]" in line]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium with its fake camera, which shows a green picture with a moving disc."""
    stand_in = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_chromium(), args=[*FLAGS, *stand_in])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(site: Site, browser: Browser) -> Server:
    """The site in place of the single app for which the tests of tests/browser are written."""
    return Server(site.url, first_visit(browser, site.url), lambda: "")  # each replica has its own log


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def page(browser: Browser, site: Site, watch: Watch) -> Iterator[Page]:
    """A new visitor; the test fails if the policy blocked anything that a page needs."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    watch.attach(context, site.url.removeprefix("http://"))
    page = context.new_page()
    page.emulate_media(color_scheme="light", reduced_motion="reduce")  # as for the journeys
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()
    assert watch.is_clean(), watch
