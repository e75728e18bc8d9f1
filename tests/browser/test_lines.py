"""The lines on the Attention page: the selection is in the address and restored from it."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.dragging import dragged
from tests.browser.keys import tab_to
from tests.browser.overflow import PHONE, assert_nothing_overflows

QUERY = ".side.query .token"


def test_lines_are_chosen_locked_linked_and_saved(page: Page, server: Server, tmp_path):
    open_page(page, f"{server.url}/attention?text=I+want+to+buy+a+car.&kind=Cross&look=Lines")
    heads = page.get_by_role("group", name="Heads")
    heads.get_by_role("button", name="one at a time").click()
    heads.get_by_role("button", name="Head 3").click()
    page.get_by_role("group", name="Layers").get_by_role("button", name="all").click()
    page.locator(QUERY, has_text="acheter \u2192").click()
    expect(page).to_have_url(re.compile(r"lines=1\.2\.3\.4-3-70-q4"))
    ready(page)
    weights = page.locator(".side.key .weight").all_inner_texts()
    assert sum(map(float, weights)) == pytest.approx(1, abs=0.01)
    with page.expect_download() as download:
        page.get_by_text("Lines as CSV").click()
    download.value.save_as(tmp_path / "lines.csv")
    rows = list(csv.DictReader((tmp_path / "lines.csv").open(encoding="utf-8-sig")))
    assert {(row["layer"], row["head"]) for row in rows} == {(str(layer), "3") for layer in (1, 2, 3, 4)}
    counted = page.get_by_text(re.compile(r"now \d+ of")).inner_text()
    assert f"now {len(rows)} of" in counted
    assert len(rows) > sum(row["query token"] == "acheter" for row in rows) > 0
    address = page.url
    open_page(page, address)
    expect(page.locator(f"{QUERY}[aria-selected=true]")).to_contain_text("acheter \u2192")
    assert page.locator(".side.key .weight").all_inner_texts() == weights
    # while the share is dragged the browser updates the lines; after the release the server counts the same
    page.get_by_role("button", name="Unlock").click()
    legend, share = page.locator(".lines-root .legend"), page.locator(".lines-root .mass input")
    with dragged(page, share, 0.2):
        expect(legend).not_to_contain_text(f"Lines drawn: {len(rows)}.")
        count = re.search(r"Lines drawn: (\d+)\.", legend.inner_text())[1]
        assert 0 < int(count) < len(rows)
        expect(page.get_by_text(f"now {len(rows)} of")).to_be_visible()
    expect(page.get_by_text(f"now {count} of")).to_be_visible()
    assert f"Lines drawn: {count}." in legend.inner_text()
    tab_to(share)
    page.keyboard.press("End")
    all_of_them = re.search(r"Lines drawn: (\d+)\.", legend.inner_text())[1]
    expect(page.get_by_text(f"now {all_of_them} of")).to_be_visible()
    # another kind has other tokens: the lock is released, the heads stay
    page.locator(QUERY, has_text="acheter \u2192").click()
    expect(page).to_have_url(re.compile(r"lines=1\.2\.3\.4-3-100-q4"))
    page.get_by_role("radio", name="Encoder", exact=True).click()
    expect(page).to_have_url(re.compile(r"lines=1\.2\.3\.4-3-100(&|$)"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => innerWidth === 390")
    assert_nothing_overflows(page, PHONE)
