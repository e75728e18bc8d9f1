"""A token or a patch that is pointed at in one view is marked in all views of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page
from tests.browser.keys import tab_to

pytestmark = pytest.mark.nightly

MARKED = """grid => ["row", "column"].map((axis) => {
    return grid.classList.contains(`${axis}-marked`) ? Number(grid.style.getPropertyValue(`--${axis}`)) : null
})"""


def highlighted_cell(page: Page) -> list[int | None]:
    """The row and the column that the overview marks in every map."""
    return page.locator(".overview .grid").evaluate(MARKED)


def test_a_token_of_an_axis_is_marked_in_every_map_and_a_cell_by_both_its_tokens(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?kind=cross")
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: frames.append("sent")))
    labels, detail = page.locator(".queries span"), page.locator(".detail")
    labels.nth(3).hover()
    assert highlighted_cell(page) == [3, None]
    expect(detail.locator(".row-mark")).to_be_visible()
    expect(detail.locator(".column-mark")).to_be_hidden()
    page.locator(".keys span").nth(2).hover()
    assert highlighted_cell(page) == [None, 2]
    page.mouse.move(0, 0)
    assert highlighted_cell(page) == [None, None]
    expect(detail.locator(".column-mark")).to_be_hidden()
    tab_to(detail.locator("canvas[role=img]"))
    page.keyboard.press("ArrowDown")
    row, column = highlighted_cell(page)
    read = detail.locator(".tip .pair").inner_text()
    assert read == " attends to ".join(
        (labels.nth(row).inner_text(), page.locator(".keys span").nth(column).inner_text())
    )
    assert frames == []


@pytest.mark.nightly
def test_a_token_of_self_attention_is_marked_as_query_and_as_key(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?kind=encoder")
    page.locator(".queries span").nth(3).hover()
    assert highlighted_cell(page) == [3, 3]
    expect(page.locator(".detail .cursor")).to_be_visible()


def test_a_patch_is_marked_in_the_maps_of_all_heads(page: Page, server: Server):
    open_page(page, f"{server.url}/vision?view=cls")
    columns = round(page.locator(".patch").count() ** 0.5)
    page.locator(".patch").nth(columns * 4 + 7).hover()
    assert highlighted_cell(page) == [4, 7]
