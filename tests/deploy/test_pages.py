"""Every page behind the proxy, in a browser that reports violations of the Content-Security-Policy.

The `page` of this folder's conftest.py fails a test in which the policy blocked anything that is needed.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, open_page
from tests.browser.policy import TRY_WHAT_IS_REFUSED, Watch, open_every_page
from tests.browser.uploads import copy_picture, paste, upload, wait_for_picture
from tests.deploy.replicas import Site
from tests.views.controls.odd_pictures import encoded, photo

pytestmark = pytest.mark.deploy


def test_violations_of_the_policy_are_recorded(site: Site, browser: Browser):
    context, watch = browser.new_context(), Watch()
    watch.attach(context, site.url.removeprefix("http://"))
    page = context.new_page()
    open_page(page, site.url)
    page.evaluate(TRY_WHAT_IS_REFUSED)
    page.wait_for_function("() => window.refusals?.length === 4", timeout=PATIENCE)
    assert page.evaluate("window.ran") is None
    context.close()
    assert watch.refused >= {
        ("script-src", "eval"),
        ("img-src", "https://elsewhere.example/a.png"),
        ("script-src-elem", "inline"),
        ("frame-src", f"{site.url}/"),
    }
    assert watch.elsewhere == ["https://elsewhere.example/a.png"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_and_every_part_of_it(site: Site, page: Page, theme: str):
    page.emulate_media(color_scheme=theme)
    open_every_page(page, site.url)


def test_pictures_from_a_file_the_clipboard_and_the_camera(site: Site, page: Page):
    open_page(page, f"{site.url}/vision")
    upload(page, "mine.jpg", encoded(photo(300, 200), "JPEG"), "image/jpeg")
    wait_for_picture(page, "own")
    paste(page, encoded(photo(30, 20)))
    expect(page.get_by_text("Your picture: PNG, 30 \u00d7 20 pixels.")).to_be_visible()
    copy_picture(page, encoded(photo(40, 20)))
    page.get_by_role("button", name="Paste a picture").click()
    expect(page.get_by_text("Your picture: PNG, 40 \u00d7 20 pixels.")).to_be_visible()
    page.get_by_text("Use the camera").click()
    page.wait_for_function("() => [...document.querySelectorAll('video')].some((video) => video.videoWidth > 0)")
    page.get_by_role("button", name="Take Photo").click()
    expect(page.get_by_text("Your picture: JPEG")).to_be_visible()


def test_a_chart_as_a_png_file(site: Site, page: Page):
    open_page(page, f"{site.url}/positions")
    chart = page.locator('[data-testid="stMain"] .js-plotly-plot').first
    chart.hover()
    with page.expect_download() as download:
        page.locator('[data-title*="ownload"], [aria-label*="ownload plot"]').first.click()
    assert download.value.path().read_bytes().startswith((b"\x89PNG", b"<svg"))
