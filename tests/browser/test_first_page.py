"""What a reader sees before the scripts have run, and that it makes room for the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PATIENCE, Server, open_page
from tests.browser.overflow import PHONE, WIDE


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "narrow"])
def test_title_and_purpose_are_there_without_any_script(browser: Browser, server: Server, size: dict):
    """Fails without the outline: Streamlit's own page is empty until its scripts have run."""
    context = browser.new_context(viewport=size)
    page = context.new_page()
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/positions", timeout=PATIENCE)
    outline = page.locator(".first")
    expect(outline.get_by_role("heading", name="Positions")).to_be_in_viewport()
    expect(
        outline.get_by_text("Take sinusoidal positions apart, then take them away from the model.")
    ).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_outline_leaves_when_the_page_is_there(server: Server, page):
    open_page(page, f"{server.url}/positions")
    expect(page.locator(".first")).to_be_hidden()
    expect(page).to_have_title("Positions \u00b7 Attention Atlas")
    open_page(page, server.url)
    expect(page).to_have_title("Attention Atlas")


def test_a_deep_link_asks_the_server_at_its_own_address_only(server: Server, page):
    """Streamlit's scripts would first ask below the address of the page, and be told that nothing is there."""
    refused = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    open_page(page, f"{server.url}/positions")
    assert refused == []


def test_without_scripts_the_page_says_what_it_needs(browser: Browser, server: Server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.url}/positions", timeout=PATIENCE)
    assert "You need to enable JavaScript" in page.evaluate("document.body.innerText")
    expect(page.locator(".first")).to_be_hidden()
    context.close()
