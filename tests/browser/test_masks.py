"""Use the Masks page: select, paint with pointer and keyboard, share the link, check."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.menu import link_to

SENTENCE = "I am a student."


def visit(page: Page, server: Server, query: str = "") -> None:
    open_page(page, f"{server.url}/masks?text={quote(SENTENCE)}&{query}")


def metric(page: Page, label: str) -> Locator:
    """The value under a label."""
    box = page.get_by_test_id("stMetric").filter(has=page.get_by_text(label, exact=True))
    return box.get_by_test_id("stMetricValue")


def canvas_of(page: Page, name: str) -> Locator:
    """The canvas of a drawn matrix, by its label."""
    return page.locator(f'canvas[aria-label^="{name},"]')


def cell(canvas: Locator, row: int, column: int, side: int) -> tuple[float, float]:
    """Return the middle of a cell of a painted mask, from the corner of the canvas; its labels are left and above."""
    box = canvas.bounding_box()
    width = 24  # pixels of a mask's cell where there is room
    height = 21
    left, top = box["width"] - 1 - side * width, box["height"] - 1 - side * height
    return left + (column + 0.5) * width, top + (row + 0.5) * height


@pytest.mark.nightly
def test_painting_a_cell_changes_the_loss_and_the_link(server: Server, page: Page):
    visit(page, server)
    before = metric(page, "Loss, causal mask").inner_text()
    expect(metric(page, "Loss, this mask")).to_have_text(before)
    mask = canvas_of(page, "Allowed")
    side = int(re.search(r"(\d+) by", mask.get_attribute("aria-label"))[1])
    x, y = cell(mask, 2, 0, side)
    mask.click(position={"x": x, "y": y})
    expect(metric(page, "Loss, this mask")).not_to_have_text(before)
    painted = metric(page, "Loss, this mask").inner_text()
    expect(page).to_have_url(re.compile(rf"painted={side}-"))
    ready(page)

    page.goto(page.url)  # the link shows the same mask to someone else
    expect(metric(page, "Loss, this mask")).to_have_text(painted)
    page.get_by_role("button", name="Clear paint").click()
    expect(metric(page, "Loss, this mask")).to_have_text(before)
    expect(page).not_to_have_url(re.compile("painted="))


@pytest.mark.nightly
def test_the_keyboard_paints_too_and_a_query_retains_a_key(server: Server, page: Page):
    visit(page, server)
    before = metric(page, "Loss, causal mask").inner_text()
    mask = canvas_of(page, "Allowed")
    tab_to(mask)
    page.keyboard.press("ArrowRight")  # enters at the first cell
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tip:visible .value")).to_have_text("masked")
    page.keyboard.press("Space")
    expect(metric(page, "Loss, this mask")).not_to_have_text(before)
    expect(page.locator(".heard").first).to_contain_text("allowed")
    page.keyboard.press("Space")
    expect(metric(page, "Loss, this mask")).to_have_text(before)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    expect(page.get_by_test_id("stAlert")).to_contain_text("has no key left")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


@pytest.mark.nightly
def test_a_selected_mask_is_applied(server: Server, page: Page):
    visit(page, server)
    loss = metric(page, "Loss, this mask")
    before = loss.inner_text()
    page.get_by_role("radio", name="None", exact=True).click()
    expect(loss).not_to_have_text(before)
    without = loss.inner_text()
    page.get_by_role("radio", name="Window", exact=True).click()
    expect(loss).not_to_have_text(without)
    expect(page).to_have_url(re.compile("mask=window"))
    page.get_by_label("Tokens", exact=True).fill("128")
    page.get_by_label("Tokens", exact=True).press("Enter")
    expect(loss).to_have_text(before)  # so wide a window hides nothing that the causal mask does not


@pytest.mark.nightly
def test_a_cell_is_followed_from_score_to_weight(server: Server, page: Page):
    visit(page, server, "mask=window&pieces=2")
    scores = canvas_of(page, "1 Scores")
    tab_to(scores)
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):  # the first one enters at the first cell
        page.keyboard.press(key)
    maps = page.locator(".maps .detail")
    expect(maps.locator(".cursor:visible")).to_have_count(4)
    expect(maps.first.locator(".heard")).to_contain_text(re.compile(r"suis, <s>: \u2212?\d"))
    masked = canvas_of(page, "2 With \u2212\u221e")
    tab_to(masked)
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(maps.nth(1).locator(".heard")).to_have_text("suis, <s>: \u2212\u221e, masked")
    expect(maps.locator(".cursor:visible")).to_have_count(4)
    expect(page.locator(".tip:visible")).to_have_count(1)


@pytest.mark.nightly
def test_causality_is_exact_and_padding_gets_nothing(server: Server, page: Page):
    visit(page, server)
    page.get_by_role("radio", name="Causality").click()
    expect(metric(page, "Largest change before that place, causal mask")).to_have_text("0")
    assert float(metric(page, "The same without a mask").inner_text()) > 0
    page.get_by_role("radio", name="Padding").click()
    expect(metric(page, "Largest weight on padding, with the mask")).to_have_text("0")
    expect(canvas_of(page, "Ids")).to_have_attribute("aria-label", re.compile("10 by 20"))
    page.get_by_role("radio", name="Lengths only").click()
    box = page.get_by_label("Lengths of the sequences")
    box.fill("3 7")
    box.press("Enter")
    expect(canvas_of(page, "Ids")).to_have_attribute("aria-label", re.compile("2 by 7"))
    box.fill("3 <b>")
    box.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_contain_text("Something here is not a whole number")


@pytest.mark.nightly
def test_a_mean_selected_on_another_page_is_accepted(server: Server, page: Page):
    open_page(page, f"{server.url}/attention?kind=decoder&layer=mean&head=mean&text={quote(SENTENCE)}")
    link_to(page, "Masks").click()
    canvas_of(page, "3 Weights").wait_for()
    ready(page)
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    expect(page.get_by_test_id("stMain")).to_contain_text("One head with this mask: layer 1, head 1")
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.nightly
def test_a_number_in_a_part_is_restored_after_leaving_it(server: Server, page: Page):
    """The browser has lost it meanwhile, and would start at the smallest."""
    visit(page, server, "masks=causality")
    number = page.get_by_label("Change the token at place")
    first = number.input_value()
    assert first != "2"
    for part in ("Your sentence", "Causality"):
        page.get_by_role("radio", name=part, exact=True).click()
        ready(page)
    expect(number).to_have_value(first)
    page.get_by_role("radio", name="Padding", exact=True).click()
    expect(page.get_by_text("Largest weight on padding, with the mask")).to_be_visible()
    ready(page)
    assert "change=" not in page.url
