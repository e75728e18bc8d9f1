"""Use the Attribution page: select a word, another way to leave words out, another method."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import assert_nothing_overflows

SENTENCE = "I want to buy a car."


@pytest.mark.nightly
def test_selecting_a_word_an_erasure_and_a_method(server: Server, page: Page):
    open_page(page, f"{server.url}/attribution?text={quote(SENTENCE)}")
    every = page.get_by_role("table", name=re.compile("^Source words by every method"))
    correlations = page.get_by_role("table", name=re.compile("^Rank correlation"))
    box = page.get_by_role("combobox", name=re.compile("Target word"))
    box.click()
    box.fill("voiture")  # by keyboard alone
    box.press("Enter")
    expect(every).to_have_attribute("aria-label", re.compile("for voiture$"))
    expect(page).to_have_url(re.compile("target_word=5(&|$)"))
    ready(page)
    drops = {
        row.locator("th").inner_text(): float(row.locator("td").first.inner_text().replace("\u2212", "-"))
        for row in every.locator("tbody tr").all()
    }
    assert max(drops, key=drops.get) == "6 car"
    before = correlations.inner_text()
    page.get_by_role("radio", name="Masking it").click()
    expect(correlations).not_to_have_text(before)
    ready(page)
    page.get_by_role("radio", name="Rollout").click()
    canvas = page.locator('canvas[aria-label^="Rollout,"]')
    expect(canvas).to_have_attribute("aria-label", re.compile("7 by 8"))
    tab_to(canvas)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".heard").first).to_contain_text("voiture, ")
    ready(page)  # the address is written last
    assert "erase=mask" in page.url and "method_shown=rollout" in page.url
    assert_nothing_overflows(page)
