"""Use the Loss page, and reach it through the diagram."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_setting
from tests.browser.conftest import Server, open_page, ready
from tests.browser.dragging import dragged
from tests.browser.keys import tab_to
from views import navigation

SENTENCE = "I want to buy a car."


def metric(page: Page, name: str) -> float:
    return float(page.get_by_test_id("stMetric").filter(has_text=name).get_by_test_id("stMetricValue").inner_text())


def choose(page: Page, option: str) -> None:
    page.get_by_role("radio", name=option, exact=True).click()
    ready(page)


@pytest.mark.nightly
def test_a_wrong_target_has_a_higher_loss_at_its_token(server: Server, page: Page):
    open_page(page, f"{server.url}/loss?text={quote(SENTENCE)}")
    own = metric(page, "Loss")
    box = page.get_by_label("French target", exact=True)
    box.fill("Je veux vendre une voiture.")
    box.press("Enter")
    rows = page.get_by_role("table", name="\u2212ln\u00a0p by token").locator("tbody tr")
    expect(rows.nth(2)).to_contain_text("vendre")
    ready(page)
    assert metric(page, "Loss") > own
    shares = [float(row.locator("td").nth(3).inner_text().removesuffix("\N{NO-BREAK SPACE}%")) for row in rows.all()]
    assert shares.index(max(shares)) == 2
    assert sum(shares) == pytest.approx(100, abs=0.5)
    assert metric(page, "Sum") / len(shares) == pytest.approx(metric(page, "Loss"), rel=0.01)


@pytest.mark.nightly
def test_the_five_predefined_tokens(server: Server, page: Page):
    open_page(page, f"{server.url}/loss")
    choose(page, "Given tokens")
    rows = page.get_by_role("table", name="\u2212ln\u00a0p by token").locator("tbody tr")
    expect(rows).to_have_count(5)
    assert [row.locator("td").nth(2).inner_text() for row in rows.all()] == [
        "0.223",
        "0.511",
        "0.357",
        "0.693",
        "0.105",
    ]
    assert metric(page, "Loss") == 0.378


@pytest.mark.nightly
def test_smoothing_moves_the_target_and_the_gradient(server: Server, page: Page):
    open_page(page, f"{server.url}/loss?text={quote(SENTENCE)}&part=smoothing-gradient")
    view, slider = page.locator(".step-view"), page.get_by_role("slider", name="Label smoothing")
    cells, formula = view.locator("tbody tr").first.locator("td"), view.locator(".formula")
    expect(cells.nth(1)).to_have_text("0.900")
    with dragged(page, slider, 0.7):  # the browser follows
        expect(cells.nth(1)).not_to_have_text("0.900")
        before = [*view.locator("tbody tr").all_inner_texts(), formula.inner_text()]
    expect(view).to_have_attribute("data-drawn", "2")  # the server's numbers are there
    assert [*view.locator("tbody tr").all_inner_texts(), formula.inner_text()] == before
    assert float(view.get_attribute("data-difference")) < 1e-5
    tab_to(slider)
    page.keyboard.press("Home")
    expect(cells.nth(1)).to_have_text("1.00")
    expect(formula).to_contain_text("is below 0.")
    p, q, gradient = (float(cell.replace("\u2212", "-")) for cell in cells.all_inner_texts())
    assert p - q == pytest.approx(gradient, abs=2e-3)
    ready(page)
    page.wait_for_function("() => location.search.includes('smoothing=0')")
    now = page.locator(".aa-now").inner_text()
    page.get_by_role("button", name=re.compile("^Forward")).click()
    expect(page.locator(".aa-now")).not_to_have_text(now)


@pytest.mark.nightly
def test_training_curves_are_drawn(server: Server, page: Page):
    open_page(page, f"{server.url}/loss?part=training-curves")
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(4)
    choose(page, "Epochs")
    expect(page.locator(".js-plotly-plot .xtitle, .js-plotly-plot .x2title").first).to_have_text("epoch")


@pytest.mark.nightly
def test_each_block_of_the_diagram_opens_its_page_with_the_sentence(server: Server, page: Page):
    open_page(page, f"{server.url}/?text={quote(SENTENCE)}&method=beam")
    links = page.get_by_role("group", name=re.compile("Layers of the encoder")).get_by_role("link")
    expect(links.first).to_be_visible()
    addresses = {link.get_attribute("href") for link in links.all()}
    assert {urlsplit(address).path for address in addresses} <= navigation.page_ids()
    page.get_by_role("link", name=re.compile("^Cross-attention")).click()
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible()
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    expect_setting(page, kind="cross", text=SENTENCE, method="beam")
    page.go_back()
    loss = page.get_by_role("link", name=re.compile("^Loss:"))
    tab_to(loss, backwards=True)  # from the end of the page
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Loss", exact=True)).to_be_visible()
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    assert len(page.context.pages) == 1  # in the same tab


@pytest.mark.nightly
def test_training_is_stepped_and_played_from_one_payload(server: Server, page: Page):
    open_page(page, f"{server.url}/loss?text={quote(SENTENCE)}&part=heads-that-form")
    stage = page.locator(".stage-root")
    last, losses = stage.get_attribute("data-step"), stage.locator(".losses .number")
    at_end = losses.all_inner_texts()
    slider = stage.get_by_role("slider", name="Step of training")
    tab_to(slider)
    page.keyboard.press("Home")
    expect(stage).to_have_attribute("data-step", "0")
    assert sum(map(float, losses.all_inner_texts())) > sum(map(float, at_end))
    expect_setting(page, training_step="0")
    ready(page)
    stage.get_by_role("button", name="One step of training on").click()
    expect(slider).to_have_value("1")
    stage.get_by_role("button", name="Play").click()
    expect(stage).to_have_attribute("data-step", last or "", timeout=30_000)
    expect(stage.get_by_role("button", name="Play")).to_be_visible()
    assert losses.all_inner_texts() == at_end
    stage.locator(".french button.token").first.click()
    expect(stage.locator(".losses .own .name")).to_have_text(stage.locator(".french button.token").first.inner_text())
