"""Use the Circuits page: choose a cell with the pointer and with the keyboard."""

from __future__ import annotations

import re
from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.overflow import assert_nothing_overflows

PAIR = f"text={quote('I want to buy a car.')}&other={quote('I want to buy a house.')}"


def test_choosing_a_cell_patches_it(server: Server, page: Page):
    open_page(page, f"{server.url}/circuits?{PAIR}&cell=residual-encoder.1.1")
    translations = page.locator(".aa-text")
    expect(translations.nth(2)).to_have_text("Je veux acheter une maison.")  # the first token is the same in both
    canvas = page.locator('canvas[aria-label^="Residual stream, Encoder"]')
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 5.5 / 8, "y": box["height"] * 0.5 / 5})  # "house", layer 0
    expect(translations.nth(2)).to_have_text("Je veux acheter une voiture.")
    expect(page).to_have_url(re.compile(r"cell=residual-encoder\.1\.6(&|$)"))
    ready(page)
    canvas.focus()
    canvas.press("ArrowLeft")  # the first arrow reads the chosen cell
    canvas.press("ArrowLeft")
    canvas.press("Enter")
    expect(page).to_have_url(re.compile(r"cell=residual-encoder\.1\.5(&|$)"))
    expect(translations.nth(2)).to_have_text("Je veux acheter une maison.")
    page.get_by_role("radio", name="Change of what is measured").click()  # drawn without the server
    expect(page.locator(".cell-maps")).to_have_attribute("data-drawn", "metric residual-encoder.1.5")
    ready(page)
    assert_nothing_overflows(page)
