"""A printed page: nothing fixed or operated is on it, no map is in two parts, and the dark theme is dark on white."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Server, open_page


@pytest.mark.nightly
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_prints_without_menu_and_with_whole_maps(browser: Browser, server: Server, theme: str):
    with browser.new_context(color_scheme=theme) as context:
        page = context.new_page()
        open_page(page, f"{server.url}/attention?text=I+want+to+buy+a+car.")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme=theme)
        for hidden in (".st-key-menu", "[data-testid=stHeader]", "[data-testid=stButtonGroup]"):
            expect(page.locator(hidden).first).to_be_hidden()
        expect(page.locator(".aa-text").first).to_be_visible()
        view = page.locator("[data-testid=stBidiComponentIsolated]").first
        assert view.evaluate("node => getComputedStyle(node).breakInside") == "avoid"
        assert view.evaluate("node => getComputedStyle(node.shadowRoot.querySelector('canvas')).breakInside") == "avoid"
        inverted = page.locator("[data-testid=stMainBlockContainer]").evaluate("node => getComputedStyle(node).filter")
        assert inverted == ("invert(1) hue-rotate(180deg)" if theme == "dark" else "none")
