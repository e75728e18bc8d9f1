"""Lists pasted from programs into the boxes of the pages, and a tensor over the limit, on both sizes of screen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.overflow import PHONE, WIDE, assert_nothing_overflows
from tests.tiers import nightly

pytestmark = pytest.mark.nightly

ON_PHONE = pytest.mark.parametrize("size", [nightly(WIDE, id="wide"), pytest.param(PHONE, id="phone")])


def paste(page: Page, label: str, text: str) -> None:
    """Replace the text of a box as pasting does: the browser drops or converts line breaks by itself."""
    box = page.get_by_label(label, exact=True)
    box.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")
    ready(page)


@ON_PHONE
def test_shapes_and_a_tensor_over_the_limit(server: Server, page: Page, size):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/inside?inside=memory")
    table = page.get_by_role("table", name="Strides before and after")
    paste(page, "Shape of a tensor", "torch.Size([2,\n 3, 4])")
    expect(table).to_contain_text("(2, 3, 4)")
    paste(page, "Shape of a tensor", "(40, 40, 40, 40)")
    expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile("2.560.000 numbers"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert_nothing_overflows(page, size)
    paste(page, "Shape of a tensor", "(3, 5, 10, 20)")
    expect(table).to_contain_text("(3, 5, 10, 20)")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    paste(page, "Shape given to view", "(-1, 200)")
    expect(page.get_by_role("table", name="Result of view")).to_contain_text("(15, 200)")


@pytest.mark.nightly
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_batch_and_rows_of_probabilities(server: Server, page: Page, size):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/masks?masks=padding")
    paste(page, "Ids of the tokens, a line or a list for each sequence", "[[62, 13,\n47, 39],\n[60]]")
    expect(page.get_by_text(re.compile("2 sequences")).first).to_be_visible()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    open_page(page, f"{server.url}/decoding?part=linear-softmax")
    label = "Rows of numbers: a line, a list or a semicolon for each"
    rows = page.get_by_role("table", name="Rows as scores").locator("tbody tr")
    for text in ("tensor([[0.2, 0.1, 0.1],\n        [0.4, 0.5, 0.1]])", "0.2 0.1 0.1\n0.4 0.5 0.1"):
        paste(page, label, text)
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("0.2 0.1 0.1")


@pytest.mark.nightly
@ON_PHONE
def test_the_scale_of_angles_reaches_the_last_position(server: Server, page: Page, size):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/positions?cells=angles&length=8&width=4")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot .hm')")
    assert page.evaluate(
        "(() => { const {zmin, zmax} = document.querySelector('.js-plotly-plot')._fullData[0]; return [zmin, zmax] })()"
    ) == [0, 7]
    expect(page.get_by_role("table", name="The same with all digits")).to_contain_text("7.0")
    assert_nothing_overflows(page, size)


@pytest.mark.nightly
@ON_PHONE
def test_values_follow_the_number_of_heads(server: Server, page: Page, size):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/inside?inside=heads&shape_heads=4")
    table = page.get_by_role("table", name="Shapes of multi-head attention")
    expect(table.get_by_role("row", name=re.compile("^weights"))).to_contain_text("(10, 4, 20, 128)")
    expect(table.get_by_role("row", name=re.compile("^heads joined"))).to_contain_text("(10, 20, 512)")
