"""Use Compare and What if: press heads, read the changes, open the link, mask patches."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import LAPTOP, PHONE, WIDE, assert_nothing_overflows

SENTENCE = "I am a student."


def canvas_of(page: Page, name: str) -> Locator:
    """The canvas of a drawn matrix, by its label."""
    return page.locator(f'canvas[aria-label^="{name},"]')


def metric(page: Page, label: str) -> Locator:
    """The value under a label."""
    box = page.get_by_test_id("stMetric").filter(has=page.get_by_text(label, exact=True))
    return box.get_by_test_id("stMetricValue")


@pytest.mark.nightly
def test_pressing_heads_changes_the_translation_and_the_address(server: Server, page: Page):
    open_page(page, f"{server.url}/compare?text={quote(SENTENCE)}")
    canvas_of(page, "After minus Before").wait_for()
    loss = metric(page, "Loss, after")
    first = loss.inner_text()
    page.get_by_text("Change the intervention").click()
    page.get_by_role("button", name="No head", exact=True).click()
    expect(loss).to_have_text(metric(page, "Loss, before").inner_text())
    expect(metric(page, "Change")).to_have_text("0")
    expect(page.locator(".aa-text").nth(0)).to_have_text(page.locator(".aa-text").nth(1).inner_text())
    page.get_by_role("button", name="All heads", exact=True).click()
    expect(page).to_have_url(re.compile("heads1=1&heads1=2"))
    expect(metric(page, "Change")).not_to_have_text("0")
    expect(loss).not_to_have_text(first)
    ready(page)
    everything = loss.inner_text()
    page.get_by_role("button", name="Open the head that moved most").click()
    difference = canvas_of(page, "After minus Before")
    expect(page).to_have_url(re.compile(r"head=\d"))
    ready(page)
    tab_to(difference)
    page.keyboard.press("ArrowDown")  # enters at the first cell
    expect(page.locator(".heard", has_text=" attends to ").first).to_contain_text(
        re.compile(r": \u2212?[\d.e\u2212-]+$")
    )
    marked = page.locator(":is(.queries, .keys) .at")
    expect(marked).to_have_count(6)  # a row and a column of all three maps
    assert len(set(marked.evaluate_all("all => all.map((one) => one.parentElement.className + one.textContent)"))) == 2
    page.goto(page.url)  # the link shows someone else the same
    expect(loss).to_have_text(everything)
    ready(page)
    assert_nothing_overflows(page, PHONE, WIDE)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("radio", name="Another sentence").click()
    canvas_of(page, "B minus A").wait_for()
    box = page.get_by_label("Sentence B")
    box.fill("<b>I</b> am not a student.")
    box.press("Enter")
    expect(page.get_by_text("It is drawn for tokens that both have")).to_be_visible()
    assert page.locator("[data-testid=stMain] b", has_text=re.compile("^I$")).count() == 0


@pytest.mark.nightly
def test_masking_patches_changes_the_class_probabilities(server: Server, page: Page):
    open_page(page, f"{server.url}/vision?view=What+if&vdo=Mask")
    grid = canvas_of(page, "May be attended to")
    grid.wait_for()
    changes = page.locator('table[aria-label="Probabilities"] tbody tr td:last-child')
    expect(changes.first).to_have_text("0 points")
    before = changes.all_inner_texts()
    assert set(before) == {"0 points"}
    tab_to(grid)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"vhidden=\d+-"))
    page.get_by_role("button", name="Hide the middle").click()
    expect(changes.first).not_to_have_text("0 points")
    assert_nothing_overflows(page, PHONE, WIDE)


# What can be operated on the first screen, inside components too, but for the menu and the list of a page's parts.
CONTROLS = """() => {
    const found = []
    const visit = (box) => {
        if (box.matches(".st-key-menu, .st-key-languages, .st-key-sections, .st-key-pages, .st-key-view")) return
        const { top, bottom, width } = box.getBoundingClientRect()
        const seen = width && top < innerHeight && bottom > 0 && box.checkVisibility({ visibilityProperty: true })
        if (seen && box.matches("a[href], button, input, select, summary, textarea, [role=slider]"))
            found.push(box.getAttribute("aria-label") || box.textContent || box.type)
        for (const child of [...box.children, ...(box.shadowRoot?.children ?? [])]) visit(child)
    }
    visit(document.querySelector("[data-testid=stMain]"))
    return found
}"""
MOST_CONTROLS = 12


@pytest.mark.nightly
@pytest.mark.parametrize(
    "address", ["compare", "compare?b=other", "vision?view=what-if", "vision?view=what-if&lang=ko"]
)
def test_a_laptops_first_screen_has_few_controls(server: Server, page: Page, address: str):
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/{address}")
    controls = page.evaluate(CONTROLS)
    assert 3 < len(controls) <= MOST_CONTROLS, controls
    if "other" not in address:  # the control that the page is about is among them
        change = page.locator("summary", has_text=re.compile("Change the intervention|개입 바꾸기"))
        box = change.bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"]


@pytest.mark.nightly
def test_a_part_of_a_model_of_pictures_begins_on_a_laptops_first_screen(server: Server, page: Page):
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/models?model=atlas-vit&part=what-if")
    box = page.locator("summary", has_text="Change the intervention").bounding_box()
    assert box["y"] + box["height"] <= LAPTOP["height"]
    expect(page.locator(".st-key-answered")).to_have_text(re.compile(r"Answer: church, [\d.]+\s%"))
