"""The Content-Security-Policy of the app itself, without a proxy: nothing that a page needs is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Server, open_page
from tests.browser.overflow import WIDE
from tests.browser.policy import TRY_WHAT_IS_REFUSED, Watch
from tests.browser.uploads import copy_picture, paste, upload, wait_for_picture
from tests.views.controls.odd_pictures import encoded, photo


@pytest.fixture(scope="module")
def watched(browser: Browser, server: Server) -> Iterator[tuple[Page, Watch]]:
    """One tab, so that its scripts are compiled once, with a record of its errors."""
    context, watch = browser.new_context(viewport=WIDE, accept_downloads=True), Watch()
    watch.attach(context, server.url.removeprefix("http://"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page, watch
    context.close()


@pytest.fixture
def page(watched: tuple[Page, Watch]) -> Page:
    page, watch = watched
    watch.clear()
    return page


@pytest.fixture
def watch(watched: tuple[Page, Watch]) -> Watch:
    return watched[1]


def test_the_watch_reports_violations_of_the_policy(server: Server, page: Page, watch: Watch):
    open_page(page, server.url)
    page.evaluate(TRY_WHAT_IS_REFUSED)
    page.wait_for_function("() => window.refusals?.length === 4", timeout=PATIENCE)
    assert page.evaluate("window.ran") is None
    assert watch.refused >= {
        ("script-src", "eval"),
        ("img-src", "https://elsewhere.example/a.png"),
        ("script-src-elem", "inline"),
        ("frame-src", f"{server.url}/"),
    }


@pytest.mark.nightly
def test_pictures_downloads_and_the_clipboard_keep_the_policy(server: Server, page: Page, watch: Watch):
    open_page(page, f"{server.url}/vision")
    upload(page, "mine.jpg", encoded(photo(300, 200), "JPEG"), "image/jpeg")
    wait_for_picture(page, "own")
    paste(page, encoded(photo(30, 20)))
    expect(page.get_by_text("Your picture: PNG, 30 \u00d7 20 pixels.")).to_be_visible()
    copy_picture(page, encoded(photo(40, 20)))
    page.get_by_role("button", name="Paste a picture").click()
    expect(page.get_by_text("Your picture: PNG, 40 \u00d7 20 pixels.")).to_be_visible()
    open_page(page, f"{server.url}/positions")
    chart = page.locator('[data-testid="stMain"] .js-plotly-plot').first
    chart.hover()
    with page.expect_download() as download:
        page.locator('[data-title*="ownload"], [aria-label*="ownload plot"]').first.click()
    assert download.value.path().read_bytes().startswith((b"\x89PNG", b"<svg"))
    with page.expect_download() as download:
        page.locator('[data-testid="stDownloadButton"] button').first.click()
    assert download.value.path().stat().st_size > 0
    assert watch.is_clean(), watch
