"""Every view in Korean, on a laptop in the light theme and on a phone in the dark one: no text is cut or English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.overflow import LAPTOP, PHONE, right_edge, wait_until_it_fits
from tests.browser.test_korean import english_texts
from tests.browser.text_faults import text_faults
from tests.browser.walker import DRAWN
from tests.every_view import UNFOLDED, VIEWS, View

WAYS = {"laptop": (LAPTOP, "light"), "phone": (PHONE, "dark")}


@pytest.fixture(scope="module", params=WAYS)
def tab(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """One tab for all views of a size, so that its scripts are compiled once."""
    size, scheme = WAYS[request.param]
    options = {"viewport": size, "color_scheme": scheme, "has_touch": size is PHONE}
    context = browser.new_context(locale="ko-KR", reduced_motion="reduce", **options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


@pytest.mark.nightly
@pytest.mark.parametrize("view", [pytest.param(view, id=view.id) for view in VIEWS + UNFOLDED])
def test_a_view_in_korean_has_whole_korean_texts(tab: Page, server: Server, view: View):
    open_page(tab, f"{server.url}/{view.address(lang='ko')}")
    tab.wait_for_function(DRAWN)
    ready(tab)
    wait_until_it_fits(tab)
    assert right_edge(tab) <= tab.viewport_size["width"]
    assert text_faults(tab) == []
    assert [text for text in english_texts(tab) if " > em: " not in text] == []  # titles of papers
