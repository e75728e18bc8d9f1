"""Notices about text that is not English and about truncated translations."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.overflow import assert_nothing_overflows
from tests.browser.test_hostile import HOSTILE
from tests.tiers import nightly

pytestmark = pytest.mark.nightly

KOREAN = "저는 학생입니다."
ENDLESS = "z" * 35  # the model repeats it up to the limit
EXAMPLE = "I want to buy a car."


@pytest.mark.parametrize("path", ["", nightly("attention")])
def test_an_example_replaces_text_in_another_language(server: Server, page: Page, path: str):
    open_page(page, f"{server.url}/{path}?text={quote(KOREAN)}")
    warning = page.get_by_role("alert").filter(has_text="This model reads only English")
    expect(warning).to_be_visible()
    expect(page.locator(".aa-text").first).not_to_have_text("")  # translated all the same
    assert_nothing_overflows(page)
    page.locator(".st-key-example").get_by_text(EXAMPLE, exact=True).click()
    expect(warning).to_have_count(0)
    ready(page)
    expect(page.get_by_label("English sentence")).to_have_value(EXAMPLE)
    expect(page.locator(".aa-text").first).to_contain_text("voiture")


@pytest.mark.nightly
def test_the_part_that_translates_first_warns_of_a_truncated_translation(server: Server, page: Page):
    open_page(page, f"{server.url}/history?text={quote(HOSTILE)}")  # no network ends its translation
    for choice in ("Attention over states", "Next to the Transformer", "One vector for all", "Why drop recurrence"):
        page.get_by_role("radio", name=choice, exact=True).click()
        expect(page.get_by_role("status").filter(has_text="cut off at the length limit").first).to_be_visible()
        ready(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.nightly
def test_the_truncation_notice_stays_during_a_fragment_run(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={ENDLESS}")
    notice = page.get_by_role("status").filter(has_text="The translation was cut off at the length limit")
    expect(notice).to_be_visible()
    page.get_by_role("radio", name="Linear + softmax", exact=True).click()
    expect(page.get_by_role("table", name="The largest logits of step 1")).to_be_visible()
    ready(page)
    expect(notice).to_have_count(1)
    box = page.get_by_label("English sentence")
    box.fill(EXAMPLE)
    box.press("Enter")
    expect(notice).to_have_count(0)
