"""Use the Circuits page: choose a cell with the pointer and with the keyboard."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import assert_nothing_overflows

PAIR = f"text={quote('I want to buy a car.')}&other={quote('I want to buy a house.')}"


@pytest.mark.nightly
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
    tab_to(canvas)
    page.keyboard.press("ArrowLeft")  # the first arrow reads the chosen cell
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"cell=residual-encoder\.1\.5(&|$)"))
    expect(translations.nth(2)).to_have_text("Je veux acheter une maison.")
    page.get_by_role("radio", name="Change of what is measured").click()  # drawn without the server
    expect(page.locator(".cell-maps")).to_have_attribute("data-drawn", "metric residual-encoder.1.5")
    ready(page)
    assert_nothing_overflows(page)


@pytest.mark.nightly
def test_an_edge_is_cut_and_restored(server: Server, page: Page):
    open_page(page, f"{server.url}/circuits?{PAIR}&part=paths")
    expect(page.locator(".path-graph")).to_have_attribute("data-drawn", "20 ")
    edge = page.locator("[data-edge]").last  # the strongest is drawn above the others
    name = edge.get_attribute("data-edge")
    tab_to(edge)
    page.keyboard.press("Enter")
    cut = page.locator(f'[data-edge="{name}"]')
    expect(cut).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(f"cut={re.escape(name)}"))
    ready(page)
    page.get_by_role("button", name="Undo the last cut").click()
    expect(cut).to_have_attribute("aria-pressed", "false")
    slider = page.locator(".path-graph input[type=range]").first
    tab_to(slider)
    page.keyboard.press("Home")
    expect(page.locator(".path-graph")).to_have_attribute("data-drawn", "5 ")
    expect(page).to_have_url(re.compile("edges=5(&|$)"))
    assert_nothing_overflows(page)


@pytest.mark.nightly
def test_a_running_measurement_is_cancelled(server: Server, page: Page):
    """Paths of two long sentences take half a minute; pressed after seconds, the button ends them for good."""
    start = "I think that the old man in the big house near the river wants to buy a new car, and " * 4
    texts = f"text={quote(start + 'a cat.')}&other={quote(start + 'a dog.')}"
    page.goto(f"{server.url}/circuits?{texts}&part=paths&measure=99", timeout=PATIENCE, wait_until="commit")
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("button", name="Measure the paths")).to_be_visible()
    expect(page).to_have_url(re.compile("measure=no(&|$)"))
    ready(page)
    expect(page.locator(".path-graph")).to_have_count(0)
    page.get_by_role("button", name="Measure the paths").click()
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()  # it was dropped, and begins again
