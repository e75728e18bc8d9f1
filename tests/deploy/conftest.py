"""Three real replicas behind a real nginx, started once for all tests that need them.

Every test that asks for them is slow: it carries the mark `deploy`, and `make test-deploy` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.chromium import FLAGS, installed_chromium
from tests.browser.conftest import PATIENCE, Server, first_visit, patient
from tests.deploy.replicas import Site

# Long.js, a part of Streamlit, tries WebAssembly once and goes on without it: the only thing that the policy refuses.
PROBE = ("script-src", "wasm-eval")


__all__ = ["patient"]  # holds for these tests too


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("site")) as site:
        yield site
        logs = [replica.log() for replica in site.replicas]
        output = site.proxy.log()
    # Starlette prints one for each upload that is broken off, as the proxy does with those that are too large
    assert all(log.count("Traceback") == log.count("ClientDisconnect()") for log in logs), logs
    # nginx' own complaints, at the level that is written at all, are about nginx
    assert not [line for line in output.splitlines() if "[crit]" in line or "[emerg]" in line or "[alert]" in line]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium with its stand-in for a camera, which shows a green picture with a moving disc."""
    stand_in = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_chromium(), args=[*FLAGS, *stand_in])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(site: Site, browser: Browser) -> Server:
    """The site in the place of the single app that the tests of tests/browser are written for."""
    return Server(site.url, first_visit(browser, site.url), lambda: "")  # each replica has a log of its own


@dataclass
class Watch:
    """What went wrong on a page without anyone seeing it: refused by the policy, broken, asked of another host."""

    refused: set[tuple[str, str]] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext, host: str) -> None:
        """Watch every page of a context from its first line on."""
        context.expose_binding("refused", lambda _, directive, what: self.refused.add((directive, what)))
        context.add_init_script(
            """document.addEventListener("securitypolicyviolation",
                (event) => refused(event.effectiveDirective, event.blockedURI))"""
        )
        context.on("weberror", lambda error: self.broken.append(str(error.error)))
        context.on("request", lambda asked: self._note(asked.url, host))

    def _note(self, url: str, host: str) -> None:
        if not url.startswith(("data:", "blob:", "about:", f"http://{host}/", f"https://{host}/")):
            self.elsewhere.append(url)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def page(browser: Browser, site: Site, watch: Watch) -> Iterator[Page]:
    """A fresh visitor; the test fails if the policy refused anything that a page needs."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    watch.over(context, site.url.removeprefix("http://"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()
    assert watch.refused <= {PROBE}
    assert watch.broken == []
    assert watch.elsewhere == []
