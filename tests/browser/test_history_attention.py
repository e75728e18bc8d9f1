"""The parts about self-attention and recurrence of *Before the Transformer*."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.keys import tab_to

SENTENCE = quote("I want to buy a car.")


@pytest.mark.nightly
def test_stages_heads_and_tokens_follow_the_sliders_in_the_browser(server: Server, page: Page):
    open_page(page, f"{server.url}/history?part=without-projections&text={SENTENCE}")
    view = page.locator(".step-view")
    formula = view.locator("figure.formula")
    expect(formula).to_contain_text("Token 1, I, as query")
    expect(formula).not_to_contain_text("trained head \u2013")
    drawn = view.get_attribute("data-drawn")
    rows = view.locator("figure.bars tbody tr")
    expect(rows).to_have_count(8)
    trained = rows.first.locator("td").nth(2)
    number = trained.inner_text()
    for slider, steps in ((1, 3), (2, 2)):  # head 3, token 3
        for _ in range(steps):
            tab_to(view.get_by_role("slider").nth(slider))
            page.keyboard.press("ArrowRight")
    expect(formula).to_contain_text("Token 3, to, as query")
    expect(trained).not_to_have_text(number)
    tab_to(view.get_by_role("slider").first)
    page.keyboard.press("Home")  # the embeddings, which no head reads
    expect(trained).to_have_text("\u2013")
    page.wait_for_function("() => location.search.includes('vectors=embedding')")
    ready(page)
    query = parse_qs(urlsplit(page.url).query)
    assert (query["vectors"], query["heads"], query["asking"]) == (["embedding"], ["3"], ["3"])
    assert view.get_attribute("data-drawn") == drawn  # nothing was sent again


@pytest.mark.nightly
def test_a_path_is_drawn_for_each_network(server: Server, page: Page):
    open_page(page, f"{server.url}/history?part=recurrence&text={SENTENCE}&from=s2&to=s5")
    expect(page.get_by_text("no path leads")).to_be_visible()
    drawing = page.locator(".drawing-root svg")
    strong = drawing.locator("path[stroke-width='3']")
    expect(strong).to_have_count(0)
    page.get_by_role("radio", name="LSTM, additive attention", exact=True).click()
    expect(page.get_by_text("the shortest path passes 4 sub-layers")).to_be_visible()
    expect(strong).to_have_count(4)
    page.get_by_role("radio", name="Transformer", exact=True).click()
    expect(page.get_by_text("the shortest path passes 1 sub-layer.")).to_be_visible()
    expect(strong).to_have_count(1)


@pytest.mark.nightly
def test_the_older_diagrams_lead_to_the_parts_about_them(server: Server, page: Page):
    open_page(page, f"{server.url}/?text={SENTENCE}&diagram=lstm-additive")
    page.get_by_role("link", name="Additive attention: open the page").click()
    expect(page.get_by_role("radio", name="Attention over states", exact=True)).to_be_checked()
    ready(page)
    query = parse_qs(urlsplit(page.url).query)
    assert query["part"] == ["attention-over-states"] and query["text"] == ["I want to buy a car."]
