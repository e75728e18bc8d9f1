"""A term in the prose is explained on hover, tap and focus, and links to the glossary."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Server, open_page
from tests.browser.keys import tab_to
from tests.browser.touch import tap
from views.text import glossary, prose

pytestmark = pytest.mark.nightly

ADDRESS = "inside?inside=add-norm"
TERM, SHOWN = "a[href*='glossary?find=Residual']", "#explained-term"


def explanation() -> str:
    return glossary.plain_text(prose.block("glossary", "residual-stream"))


def test_pointer_and_keys(page: Page, server: Server):
    open_page(page, f"{server.url}/{ADDRESS}")
    term, tooltip = page.locator(TERM).first, page.locator(SHOWN)
    expect(tooltip).to_be_hidden()
    term.scroll_into_view_if_needed()
    term.hover()
    expect(tooltip).to_have_text(explanation())
    expect(term).to_have_attribute("aria-describedby", "explained-term")
    tooltip.hover()  # it stays to be read, and copied
    page.wait_for_timeout(400)
    expect(tooltip).to_be_visible()
    page.mouse.move(2, 2)
    expect(tooltip).to_be_hidden()
    page.keyboard.press("Tab")  # from here on the focus is the keyboard's
    tab_to(term)
    expect(tooltip).to_have_text(explanation())
    page.keyboard.press("Escape")
    expect(tooltip).to_be_hidden()
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    entry = opened.value
    entry.set_default_timeout(PATIENCE)
    expect(entry.locator(".aa-terms dt")).to_have_text(["Residual stream"])
    entry.evaluate("window.loadedOnce = true")
    entry.locator(".aa-terms a").click()
    expect(entry.get_by_role("radio", name="Add & Norm")).to_be_checked()
    entry.go_back()
    expect(entry.locator(".aa-terms dt")).to_have_text(["Residual stream"])
    assert entry.evaluate("window.loadedOnce")
    entry.close()


@pytest.mark.nightly
def test_the_first_tap_explains_and_the_second_leads_there(browser: Browser, server: Server):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    open_page(page, f"{server.url}/{ADDRESS}")
    term, tooltip = page.locator(TERM).first, page.locator(SHOWN)
    term.scroll_into_view_if_needed()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # scrolled
    tap(term)
    expect(tooltip).to_have_text(explanation())
    box = tooltip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    with context.expect_page() as opened:
        tap(term)
    expect(opened.value.locator(".aa-terms dt")).to_have_text(["Residual stream"])
    context.close()
