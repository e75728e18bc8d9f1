"""Use the Positions page."""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.plots import wait_for_numbers
from views.text.numbers import three_digits

SENTENCE = "I want to buy a car."


def choose(page: Page, option: str) -> None:
    page.get_by_role("radio", name=option, exact=True).click()
    ready(page)


def paper(length: int, width: int) -> np.ndarray:
    """Compute the encoding by the paper's formula, `(length, width)`."""
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(width) // 2 * 2 / width)
    return np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))


@pytest.mark.nightly
def test_length_width_and_form_can_be_set(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?length=4&width=4&column=0")
    wait_for_numbers(page, "heatmap", paper(4, 4).tolist(), 1e-6)
    wait_for_numbers(page, "dimension 0, sine", [0.0, 0.8414709848, 0.9092974268, 0.1411200081], 1e-6)
    choose(page, "Column index")
    wait_for_numbers(page, "dimension 1, cosine", [1.0, 0.9950041653, 0.9800665778, 0.9553364891], 1e-6)
    expect(page.get_by_text("not this one")).to_be_visible()
    choose(page, "Paper")
    expect(page.get_by_text("This model uses it, with d_model 256.")).to_be_visible()
    tab_to(page.get_by_role("slider", name="Positions"))
    page.keyboard.press("ArrowRight")
    wait_for_numbers(page, "heatmap", paper(5, 4).tolist(), 1e-6)


@pytest.mark.nightly
def test_the_largest_table(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?length=512&width=512")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot .hm')", timeout=PATIENCE)
    last_cell = page.evaluate(
        "(() => {const {z} = document.querySelector('.js-plotly-plot')._fullData[0];"
        "return [z.length, z[0].length, z[511][0]]})()"
    )
    assert last_cell == [512, 512, pytest.approx(np.sin(511), abs=1e-6)]


@pytest.mark.nightly
def test_the_rotation_and_its_residual(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?facet=rotation&width=8")
    page.get_by_text("Checked", exact=True).first.click()
    check = page.get_by_text(re.compile("Check: over all 64 positions"))
    expect(check).to_be_visible()
    line = " ".join(check.inner_text().replace("\u2212", "-").split())
    residual = re.search(r"R PE\(pos\)\| is ([\d.e-]+) \(rounding stays below", line)[1]
    assert float(residual) < 1e-6
    assert page.locator(".katex-error").count() == 0
    expect(page.locator('[data-testid="stMain"] .katex-display')).to_have_count(2)
    choose(page, "Column index")
    expect(page.get_by_text("In the variant no such matrix exists")).to_be_visible()


@pytest.mark.nightly
def test_a_curve_from_more_and_more_columns(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?facet=basis&basis=harmonics&columns=1&width=64")
    caption = page.get_by_text(re.compile("of the first 1 column is used"))
    expect(caption).to_be_visible()
    slider = page.get_by_role("slider", name="Columns used")
    tab_to(slider)
    page.keyboard.press("End")
    expect(page.get_by_text(re.compile("63 of the first 64 columns are used"))).to_be_visible()


@pytest.mark.nightly
def test_the_model_without_its_positions(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?facet=trained-model&text={quote(SENTENCE)}")
    texts = page.locator(".aa-text")
    expect(texts).to_have_count(2)
    before = texts.all_inner_texts()
    choose(page, "Reversed")
    expect(texts.nth(1)).not_to_have_text(before[1])
    assert texts.first.inner_text() == before[0] != texts.nth(1).inner_text()
    rows = page.locator(".aa-table tbody tr")
    in_order, reversed_ = (float(rows.nth(n).locator("td").first.inner_text()) for n in (0, 3))
    assert reversed_ > in_order
    box = page.get_by_label("Reference translation in French")
    box.fill("Le chat dort.")
    box.press("Enter")
    expect(page.locator(".aa-decoder").first).to_contain_text("chat")
    loss = rows.first.locator("td").first
    expect(loss).not_to_have_text(three_digits(in_order))
    assert float(loss.inner_text()) > in_order  # a wrong reference costs more


@pytest.mark.nightly
def test_a_legend_has_room_for_the_wider_font_of_a_charts_own_png(server: Server, page: Page):
    open_page(page, f"{server.url}/positions?facet=other-models&numbered=learned&lang=ko")
    page.locator(".legendtext").first.wait_for()
    beyond = page.evaluate(
        """() => [...document.querySelectorAll(".legendtext")].map((name) => {
            name.style.fontFamily = "sans-serif" // of a picture, which has no fonts of the page
            const room = name.closest(".traces").querySelector(".legendtoggle").getBoundingClientRect()
            return name.getBoundingClientRect().right - room.right
        })"""
    )
    assert len(beyond) == 3 and max(beyond) <= 0
