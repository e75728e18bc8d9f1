"""Use the ranked heads: open a row, follow it to its maps, on any screen."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.overflow import assert_nothing_overflows

SENTENCE = "I want to buy a car."


def test_a_row_opens_its_head_and_leads_to_the_attention_page(server: Server, page: Page):
    open_page(page, f"{server.url}/heads?text={quote(SENTENCE)}&of=cross")
    options = page.locator(".option")
    expect(options).to_have_count(32)
    expect(options.first).to_have_attribute("aria-selected", "true")
    second = options.nth(1)
    name = second.get_attribute("data-name")
    layer, head = name.removeprefix("cross ").split(".")
    second.click()
    expect(page.get_by_role("table", name=f"\u2212ln\u00a0p by token without {name}")).to_be_visible()
    expect(page.get_by_role("heading", name=f"Cross-attention, layer {layer}, head {head}")).to_be_visible()
    ready(page)
    assert f"shown=cross-{layer}-{head}" in page.url
    expect(second).to_have_attribute("aria-selected", "true")
    page.locator(".detail[data-drawn] canvas[role=img]").wait_for()
    assert_nothing_overflows(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="Open it on the Attention page").click()
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=f"Cross-attention, layer {layer}, head {head}")).to_be_visible()
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)


@pytest.mark.nightly
def test_the_heads_of_a_picture(server: Server, page: Page):
    open_page(page, f"{server.url}/vision?view=Heads&vsort=Place")
    third = page.locator(".option").nth(2)
    expect(third).to_have_attribute("data-name", "vision 1.3")
    third.click()
    expect(page.get_by_role("heading", name="What CLS attends to, layer 1, head 3")).to_be_visible()
    expect(page.get_by_role("table", name=re.compile("Answer with vision 1.3 ablated"))).to_be_visible()
    ready(page)
    assert_nothing_overflows(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Open it under CLS attention").click()
    expect(page.get_by_text("CLS as the query, layer 1, head 3")).to_be_visible()
