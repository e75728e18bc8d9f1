"""The list of heads on known rows, in an empty page: what it draws, labels and sends."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from tests.views.components.test_head_list import make_head_list
from views import palette
from views.components.component import selection_mark
from views.components.head_list import HeadList, HeadRow, payload

HOSTILE = "<img src=x onerror=document.title='hacked'>"


def make_list(**changes) -> HeadList:
    rows = [
        HeadRow("c", "cross 4.7", "cross", "4", "7", 0.5, "+0.500", "aligned 0.71", "aligned 0.62", np.eye(3, 4)),
        HeadRow(
            "d", "decoder 1.2", "decoder", "1", "2", -0.25, "-0.250", HOSTILE, "", np.tril(np.ones((3, 3))), causal=True
        ),
        HeadRow("e", "encoder 2.1", "encoder", "2", "1", 0.0, "0", "diffuse 0.91", "mixed", np.zeros((2, 2))),
    ]
    columns = ("head", "change", "here", "over 500")
    return make_head_list(**{"rows": rows, "columns": columns, "title": "known heads", **changes})


@pytest.fixture
def mount(page: Page):
    def mount_list(heads: HeadList, background: str = "#FFFFFF") -> Page:
        mount_component(
            page, "head_list", "list-root", payload(heads, "light"), background, selection_mark(heads.chosen)
        )
        return page

    return mount_list


def pixel(page: Page, row: int, query: int, key: int) -> str:
    script = """([row, query, key]) => {
        const canvas = document.querySelectorAll(".option canvas")[row]
        const [red, green, blue] = canvas.getContext("2d").getImageData(key, query, 1, 1).data
        return "#" + [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("").toUpperCase()
    }"""
    return page.evaluate(script, [row, query, key])


def test_rows_contain_the_labels_and_bars_of_the_payload(mount):
    page = mount(make_list())
    options = page.locator(".option")
    assert options.count() == 3
    expected = '- option "1 cross 4.7 +0.500 aligned 0.71 aligned 0.62" [selected]'
    assert expected in page.get_by_role("listbox", name="known heads").aria_snapshot()
    assert options.nth(0).get_attribute("aria-description") == "change; here; over 500"
    widths = [page.locator(".effect").nth(row).evaluate("bar => bar.style.background") for row in range(3)]
    assert "100%" in widths[0] and "50%" in widths[1] and "0%" in widths[2]  # of the largest change, either sign
    scale = {kind: palette.scale(kind, "light") for kind in ("cross", "decoder", "encoder")}
    assert [pixel(page, 0, 1, key) for key in range(4)] == [
        scale["cross"][0], scale["cross"][-1], scale["cross"][0], scale["cross"][0]
    ]  # fmt: skip
    assert pixel(page, 1, 0, 1) == palette.MASKED["light"]
    assert pixel(page, 1, 2, 0) == scale["decoder"][-1]
    assert pixel(page, 2, 0, 0) == scale["encoder"][0]
    assert page.locator(".here").nth(1).inner_text() == HOSTILE
    assert page.title() != "hacked"
    mount(make_list(), background="#12151A")
    assert pixel(page, 0, 1, 1) == palette.scale("cross", "dark")[-1]
    assert page.evaluate("window.answers") == [["theme", "dark"]]


def test_a_row_is_chosen_by_click_and_by_keyboard(mount):
    page = mount(make_list(chosen={"shown": "d"}))
    options, heading = page.locator(".option"), page.locator(".detail h2")
    chosen = "options => options.map((option) => [option.ariaSelected, option.tabIndex])"
    assert options.evaluate_all(chosen) == [["false", -1], ["true", 0], ["false", -1]]
    expect(heading).to_have_text("layer 1, head 2")
    options.nth(0).click()
    assert options.evaluate_all(chosen)[0] == ["true", 0]
    expect(heading).to_have_text("layer 4, head 7")
    tab_to(options.nth(0))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    assert page.locator(":focus").get_attribute("data-name") == "encoder 2.1"
    page.keyboard.press("Enter")
    expect(heading).to_have_text("layer 2, head 1")
    assert page.evaluate("answers") == []
    page.wait_for_function("() => answers.length")
    assert page.evaluate("window.answers") == [["chosen", {"sort": "effect", "shown": "e"}]]


def test_the_order_is_chosen_and_the_first_of_it_is_open(mount):
    page = mount(make_list(rows=list(reversed(make_list().rows))))
    names = "options => options.map((option) => option.dataset.name + option.querySelector('.rank').textContent)"
    options = page.locator(".option")
    assert options.evaluate_all(names) == ["cross 4.71", "decoder 1.22", "encoder 2.13"]
    page.get_by_role("radio", name="Place").check()
    assert options.evaluate_all(names) == ["encoder 2.11", "decoder 1.22", "cross 4.73"]
    expect(page.locator(".detail h2")).to_have_text("layer 2, head 1")
    page.locator(".detail summary").click()
    expect(page.locator(".detail td")).to_have_text(["0"] * 4)


def test_without_a_second_label_its_column_is_gone_and_a_picture_is_under_the_maps(mount):
    picture = np.full((8, 8, 3), 128, np.uint8)
    rows = [HeadRow("v", "vision 1.1", "vision", "1", "1", 1.0, "+1.00", "CLS 0.8", "", np.eye(2))]
    page = mount(make_list(rows=rows, columns=("head", "change", "here", ""), underlay=picture, opacity=0.5))
    assert not page.locator(".often").is_visible()
    assert (
        page.locator(".option .map")
        .evaluate("map => getComputedStyle(map).backgroundImage")
        .startswith('url("data:image')
    )
    assert page.locator(".option .map canvas").evaluate("canvas => getComputedStyle(canvas).opacity") == "0.5"
