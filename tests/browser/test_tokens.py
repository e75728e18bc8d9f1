"""Use the Tokens page."""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.plots import drawn, wait_for_numbers
from views.text.numbers import three_digits

SENTENCE = "I want to buy a car."


def fill(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Enter")
    ready(page)


def choose(page: Page, option: str) -> None:
    page.get_by_role("radio", name=option, exact=True).click()
    ready(page)


@pytest.mark.nightly
def test_from_letters_to_vectors(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?text={quote(SENTENCE)}")
    chips = page.locator(".st-key-piece").get_by_role("radio")
    expect(chips.last).to_have_text("</s>")
    assert "".join(chips.all_inner_texts()).replace(" ", "") == SENTENCE.replace(" ", "") + "</s>"
    choose(page, "2 Ids")
    expect(chips.first).to_have_text(re.compile(r"^I \d+$"))
    choose(page, "5 + position")
    page.locator(".js-plotly-plot .hm").wait_for()
    ready(page)  # a file offered before the new run is gone
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="All steps as NPZ").click()
    stored = np.load(download.value.path())
    rows, embedded = stored["rows"], stored["embedded"]
    wait_for_numbers(page, "heatmap", embedded.tolist())
    choose(page, "3 Embedding rows")
    wait_for_numbers(page, "heatmap", rows.tolist(), 1e-6)
    table = page.get_by_role("table", name=re.compile("First numbers of token 1"))
    expect(table.locator("tbody tr").first.locator("td").first).to_have_text(three_digits(float(rows[0, 0])))
    page.wait_for_function("() => [...new URLSearchParams(location.search).keys()].sort().join() === 'step,text'")
    choose(page, "1 Tokens")
    chips.nth(2).click()
    expect(page.get_by_role("table", name=re.compile("First numbers of token 3"))).to_be_visible()


@pytest.mark.nightly
def test_a_typed_word_in_other_spellings(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?part=spelling")
    expect(page.locator(".aa-table tbody tr").first).to_contain_text("as typed")
    fill(page, "Word", "<b>dog</b>")
    expect(page.locator(".aa-table tbody tr").first.locator("td").first).to_have_text("<b>dog</b>")
    assert page.locator(".aa-table tbody b").count() == 0
    fill(page, "Word", "dog")
    expect(page.locator(".aa-table tbody tr").first.locator("td").first).to_have_text("dog")
    row = page.locator(".aa-table tbody tr", has_text="UPPER CASE")
    assert "".join(row.locator(".aa-chips > span").all_inner_texts()) == "DOG"
    fill(page, "Word", "x" * 80)
    expect(page.get_by_test_id("stAlert")).to_contain_text("80 characters")


@pytest.mark.nightly
def test_a_word_drifts_apart_in_three_sentences(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?part=contexts")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .scatterlayer').length === 2")
    first = drawn(page)["sentences 1 and 3"]
    assert first[0] == pytest.approx(1)
    assert first[-1] < 0.995
    fill(page, "Sentence 3", "the cat that I raise")  # the same as the first sentence
    wait_for_numbers(page, "sentences 1 and 3", [1.0] * 6)
    fill(page, "Sentence 2", "a dog")
    expect(page.get_by_test_id("stAlert")).to_contain_text("Sentence 2 does not have the word")


@pytest.mark.nightly
def test_the_same_words_in_another_order(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?part=word-order")
    expect(page.get_by_text("The same bag of tokens:")).to_be_visible()
    expect(page.locator(".aa-text")).to_have_count(2)
    translations = page.locator(".aa-text").all_inner_texts()
    assert len(set(translations)) == 2
    fill(page, "Second sentence", "I see a cat.")
    expect(page.get_by_text("Not the same bag of tokens.")).to_be_visible()


@pytest.mark.nightly
def test_a_width_that_the_heads_cannot_share_is_refused(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?part=sizes")
    expect(page.locator(".aa-table")).to_contain_text("512 / 8 = 64")
    fill(page, "d_model", "250")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("d_model 250 is not divisible by n_heads 8")
    fill(page, "d_model", "512")
    expect(alert).to_have_count(0)
    expect(page.locator(".aa-table tbody tr").nth(2).locator("td").first).to_have_text("512 / 8 = 64")


@pytest.mark.nightly
def test_neighbours_by_keyboard(server: Server, page: Page):
    open_page(page, f"{server.url}/tokens?part=neighbours&text={quote(SENTENCE)}")
    expect(page.locator(".aa-table tbody tr")).to_have_count(12)
    tab_to(page.get_by_role("slider"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".aa-table tbody tr")).to_have_count(13)
