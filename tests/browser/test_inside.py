"""Use the page Inside a layer: step through it, and type shapes."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page
from tests.browser.keys import tab_to
from tests.browser.test_masks import canvas_of, metric

SENTENCE = "I am a student."
TIRED = "The animal didn't cross the street because it was too tired."
RESULTS = {
    "1 Q": "Q",
    "2 Q": "Q K",
    "3 ": "Scores",
    "4 ": "Masked scores",
    "5 ": "Weights",
    "6 ": "Output",
    "7 ": "Sub-layer output",
}


@pytest.mark.nightly
def test_all_seven_steps(server: Server, page: Page):
    open_page(page, f"{server.url}/inside?kind=decoder&text={quote(SENTENCE)}")
    for step, result in RESULTS.items():
        page.get_by_role("radio", name=re.compile(f"^{step}")).click()
        page.locator(f'canvas[aria-label^="{result}"]').last.wait_for()
        check = page.get_by_test_id("stCaptionContainer").filter(has_text="Recomputed from X")
        expect(check).to_contain_text(re.compile(r"difference \d\.\d+e\u2212\d"))
    masked = canvas_of(page, "All heads")
    tab_to(masked)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tip").first).to_contain_text(re.compile(r"^<s> \u2192 .+, dimension 0"))


@pytest.mark.nightly
def test_one_query_and_a_typed_layout(server: Server, page: Page):
    open_page(page, f"{server.url}/inside?inside=one-query&text={quote(TIRED)}")
    table = page.get_by_role("table", name="One query against all keys")
    expect(table).to_contain_text("query it")
    assert table.locator("img").evaluate_all("images => images.every((image) => image.naturalWidth === 32)")
    box = page.get_by_label("Query at place")
    box.fill("2")
    box.press("Enter")
    expect(table).to_contain_text("query animal")
    page.get_by_role("radio", name="Memory").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("(200, 1000, 20, 1)")
    expect(page.locator(".aa-wrapped")).to_contain_text("view size is not compatible")
    shape = page.get_by_label("Shape of a tensor")
    shape.fill("2 3")
    shape.press("Enter")
    expect(page.get_by_role("table", name="Strides before and after")).to_contain_text("(1, 3)")


@pytest.mark.nightly
def test_scaling_and_hidden_units(server: Server, page: Page):
    open_page(page, f"{server.url}/inside?inside=scaling&text={quote(SENTENCE)}")
    both = page.get_by_role("table", name="The trained model both ways")
    everywhere = both.inner_text()
    page.get_by_role("radio", name="Cross").click()
    expect(both).not_to_have_text(everywhere)
    box = page.get_by_label("d_k", exact=True)
    box.fill("2")
    box.press("Enter")
    variance = metric(page, "Variance of q \u00b7 k, d_k 2")
    variance.wait_for()
    assert 1.8 < float(variance.inner_text()) < 2.2
    page.get_by_role("radio", name="Feed-forward").click()
    expect(metric(page, "Widths")).to_have_text("256 \u2192 1,024 \u2192 256")
    expect(page.get_by_text("Where the division is undone")).to_have_count(0)  # nothing of the part before stays
    page.get_by_role("radiogroup", name="Stack").get_by_role("radio", name="Decoder").click()
    expect(page.get_by_role("table", name="Units by token")).to_contain_text("1 <s>")
