"""A running app and a real browser, each started once for all browser tests.

Nothing here waits a fixed time: every wait is for a condition, with a limit generous enough for a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.held_line import HeldLine
from tests.browser.overflow import LAPTOP, PHONE, WIDE

PATIENCE = 180_000  # milliseconds: not what a page may take, but when a test gives up
NO_OPTIMIZING = "--js-flags=--no-maglev --no-opt"  # a page is left before optimized scripts repay their compiling


@dataclass(frozen=True)
class Server:
    """The app under test, and the content of its first visit, by a deep link."""

    url: str
    first_visit: dict
    log: Callable[[], str]  # what the app has printed so far


# The script has run through, nothing on the page is stale or still to be loaded, the page has its title, and every
# component's module has been loaded and has drawn its view.
READY = """() => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]")
    && document.querySelector('[data-testid="stMain"] h1')
    && [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(
        (holder) => holder.shadowRoot?.querySelector("div[class]:not(:empty), .tab-memory-root"))"""


def ready(page: Page) -> None:
    """Wait until the page is drawn. Polled at every frame, as Playwright's own waits poll twice a second."""
    page.wait_for_function(READY, timeout=PATIENCE, polling="raf")


def open_page(page: Page, url: str) -> None:
    """Go to `url` and wait until it is drawn."""
    page.goto(url, timeout=PATIENCE, wait_until="commit")
    ready(page)


@pytest.fixture(autouse=True, scope="session")
def patient() -> None:
    """Set the timeout of all expectations to that of the other waits."""
    expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright, NO_OPTIMIZING)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(browser: Browser) -> Iterator[Server]:
    with AppServer() as app:
        yield Server(app.url, first_visit(browser, app.url), app.log)
        log = app.log()
    assert "Traceback" not in log, log


def first_visit(browser: Browser, url: str) -> dict:
    """Record the content of the first visit of the server, by a deep link."""
    page = browser.new_page()
    open_page(page, f"{url}/attention?kind=Cross")
    recorded = {
        "navigation": page.locator(".st-key-menu").get_by_role("link").all_inner_texts(),
        "sidebar": page.locator('[data-testid="stSidebar"]').text_content(),
        "title": page.locator('[data-testid="stMain"] h1').inner_text(),
        "dialogs": page.get_by_role("dialog").count(),
        "address": page.url,
    }
    page.close()
    return recorded


# A new tab would compile the app's scripts again, half of what opening a page costs: each kind of tab is opened once.
@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """The tab of `page`, for all tests of this process."""
    yield from _open_tab(browser, accept_downloads=True)


@pytest.fixture(scope="session")
def phone_tab(browser: Browser) -> Iterator[Page]:
    """The tab of `phone`."""
    yield from _open_tab(browser, has_touch=True)


@pytest.fixture(scope="session")
def held_tab(browser: Browser) -> Iterator[tuple[Page, HeldLine]]:
    """The tab of `held_page`, with the line between it and the app."""
    for tab in _open_tab(browser):
        yield tab, HeldLine(tab)


def _open_tab(browser: Browser, **options: bool) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce", **options)
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    yield tab
    context.close()


class _EmptyPage(BaseHTTPRequestHandler):
    """Answers every request with an empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def empty() -> Iterator[str]:
    """Address of an empty page between two visitors: of another origin than the app, but of the same site.

    The browser keeps the process of a tab that stays on a site, with the app's scripts as it has compiled them; for
    `about:blank` it would start another, and opening the next page would cost twice the time. The other origin is there
    so that no entry in the history of the visitor before can be reached from a page of the next.
    """
    with ThreadingHTTPServer(("localhost", 0), _EmptyPage) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


@contextmanager
def visit(tab: Page, empty: str, size: dict[str, int]) -> Iterator[Page]:
    """Use a tab as a new visitor's, and clear it of cookies, storage and permissions afterwards.

    Raises:
        AssertionError: at the end, if the page sent a request to another host, or a script on it failed.
    """
    elsewhere, errors = [], []
    listeners = {
        "request": lambda request: elsewhere.append(request.url) if _leaves(request.url) else None,
        "websocket": lambda socket: elsewhere.append(socket.url) if _leaves(socket.url) else None,
        "pageerror": lambda error: errors.append(str(error)),
    }
    for event, listener in listeners.items():
        tab.on(event, listener)
    tab.set_viewport_size(size)
    tab.emulate_media(color_scheme="light", reduced_motion="reduce")
    yield tab
    if tab.url.startswith("http"):
        tab.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
    tab.mouse.move(0, 0)  # else it would point at something on the next page
    tab.goto(empty)
    tab.context.clear_cookies()
    tab.context.clear_permissions()
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert elsewhere == [], "the page sent a request to another host"
    assert errors == [], "a script on the page failed"


@pytest.fixture
def page(tab: Page, empty: str) -> Iterator[Page]:
    """A new visitor on a wide screen, see `visit`."""
    with visit(tab, empty, WIDE) as page:
        yield page


@pytest.fixture
def phone(phone_tab: Page, empty: str) -> Iterator[Page]:
    """A new visitor on a phone with a touch screen."""
    with visit(phone_tab, empty, PHONE) as page:
        yield page


@pytest.fixture(params=["laptop", "handset"])
def either(request: pytest.FixtureRequest) -> Page:
    """A new visitor on a laptop's screen, and one on a phone."""
    if request.param == "handset":
        return request.getfixturevalue("phone")
    page = request.getfixturevalue("page")
    page.set_viewport_size(LAPTOP)
    return page


@pytest.fixture
def held_page(held_tab: tuple[Page, HeldLine], empty: str) -> Iterator[tuple[Page, HeldLine]]:
    """A new visitor whose messages to and from the app can be held."""
    tab, line = held_tab
    with visit(tab, empty, WIDE) as page:
        yield page, line
        line.release(answers=False)
        line.release(answers=True)


def _leaves(url: str) -> bool:
    return not url.startswith(("data:", "blob:", "about:", "http://localhost:", "ws://localhost:"))
