"""*Before the Transformer* in a browser: one vector for all, attention over states, the networks compared."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from model import RecurrentTranslator
from model.recurrent_translator import SHIPPED
from tests.browser.conftest import Server, open_page, ready
from tests.browser.drawn import NUMBERS
from tests.browser.keys import tab_to
from tests.browser.plots import wait_for_numbers
from views.text.numbers import three_digits

SENTENCE = "I want to buy a car."
HELD_OUT = json.loads((SHIPPED / "comparison.json").read_text())


def open_part(server: Server, page: Page, part: str, **query: str) -> None:
    settings = "".join(f"&{name}={quote(value)}" for name, value in query.items())
    open_page(page, f"{server.url}/history?text={quote(SENTENCE)}&part={part}{settings}")


def choose(page: Page, option: str) -> None:
    page.get_by_role("radio", name=option, exact=True).click()
    ready(page)


def settings(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def rows(page: Page, table: str) -> list[list[str]]:
    body = page.get_by_role("table", name=table, exact=True).locator("tbody tr")
    expect(body.first).to_be_visible()  # a part that was just chosen may still be on its way
    return [row.locator("th, td").all_inner_texts() for row in body.all()]


@pytest.mark.nightly
def test_five_translations_and_the_growing_sentence(server: Server, page: Page):
    open_part(server, page, "one-vector")
    vector = RecurrentTranslator.load("lstm-vector", "cpu")
    expect(page.get_by_role("table", name="Context vectors of your sentence")).to_contain_text(
        "LSTM, one vector: state h"
    )
    assert rows(page, "Translations by all five")[1][2] == vector.translate(SENTENCE)
    choose(page, "Clause by clause")
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(5)
    losses = [float(row[3]) for row in rows(page, "Loss by clauses")]
    assert len(losses) == 5 and losses[2] > losses[0]
    tab_to(page.get_by_role("slider", name="Clauses added"))
    page.keyboard.press("ArrowRight")
    sentence = page.get_by_test_id("stMain").get_by_text("I want to buy a car and I am tired.", exact=True)
    expect(sentence.first).to_be_visible()
    ready(page)
    assert rows(page, "Translations by all five")[1][2] == vector.translate("I want to buy a car and I am tired.")
    assert settings(page) | {"text": ""} == {
        "text": "", "part": "one-vector", "bottleneck": "clauses", "clauses": "1",
    }  # fmt: skip


@pytest.mark.nightly
def test_bleu_by_length_is_drawn_with_its_finding(server: Server, page: Page):
    open_part(server, page, "one-vector", bottleneck="lengths")
    wait_for_numbers(page, "Transformer", [group["bleu"]["transformer"]["value"] for group in HELD_OUT["groups"]])
    expect(page.get_by_text("Found: long sentences fit badly into one vector.")).to_be_visible()
    assert [row[0] for row in rows(page, "BLEU by length")][-1] == "Transformer"


# Moves the slider as a user does, and returns the page's text before anything else can happen.
MOVED = """(slider, step) => {
    slider.value = step
    slider.dispatchEvent(new Event("input", { bubbles: true }))
    const view = slider.getRootNode()
    return ["formula", "bars"].map((panel) => view.querySelector(`figure.${panel}`).textContent)
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])
def test_the_numbers_of_a_step_follow_the_slider_without_the_server(server: Server, page: Page, name: str):
    open_part(server, page, "attention-over-states", score=name)
    trace = RecurrentTranslator.load(name, "cpu").trace(SENTENCE)
    slider = page.locator("input[data-axis=step]")
    expect(slider).to_have_attribute("max", str(len(trace.next_tokens)))
    for step, weights in enumerate(trace.alignment, 1):
        formula, table = slider.evaluate(MOVED, step)
        assert formula.startswith(f"Step {step} generates")
        assert three_digits(float(weights.max())) in table
    tab_to(slider)
    page.keyboard.press("ArrowLeft")
    last = len(trace.next_tokens) - 1
    page.wait_for_url(f"**step={last}**")
    open_page(page, page.url)
    expect(page.locator("input[data-axis=step]")).to_have_value(str(last))


@pytest.mark.nightly
def test_the_alignment_is_shown_with_cross_attention_and_in_the_viewer(server: Server, page: Page):
    open_part(server, page, "attention-over-states", score="lstm-dot", attending="beside")
    table = rows(page, "Alignment error rates")
    assert [row[0] for row in table] == [
        "LSTM, dot-product attention", "Transformer, last layer, mean of heads", "Transformer, layer 4, head 7",
    ]  # fmt: skip
    assert table[0][5].startswith(three_digits(HELD_OUT["alignment"]["lstm-dot"]["generated"]["value"]))
    figures = page.locator(".maps .detail h2")
    expect(figures).to_have_count(4)
    expect(figures.last).to_have_text("statistical links")
    choose(page, "Maps and lines")
    trace = RecurrentTranslator.load("lstm-dot", "cpu").trace(SENTENCE)
    expect(page.get_by_text("Alignment by dot products, layer 1, head 1")).to_be_visible()
    page.wait_for_function(
        f"expected => {NUMBERS}?.flat().every((weight, cell) => Math.abs(weight - expected[cell]) < 1e-4)",
        arg=trace.alignment.ravel().tolist(),
    )
    choose(page, "Lines")
    ready(page)
    page.get_by_text("Checked", exact=True).click()
    expect(page.get_by_text("Scores, weights and context vectors recomputed")).to_be_visible()


@pytest.mark.nightly
def test_the_ladder_has_a_row_for_each_network(server: Server, page: Page):
    open_part(server, page, "one-word")
    choose(page, "Networks compared")
    table = rows(page, "All networks")
    assert [row[-1] for row in table[:2]] == ["\u2014", "\u2014"]
    bleu = [float(row[3].split()[0]) for row in table]  # a 95 % band follows
    assert len(table) == 6 and max(bleu) == bleu[-2] and min(bleu) == bleu[0]
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert download.value.suggested_filename == "ladder.csv"
    assert [row[4] for row in rows(page, "Training of all networks")][:5] == ["2", "3", "3", "3", "21"]
    with page.expect_download() as download:
        page.get_by_role("button", name="What differs as CSV").click()
    assert download.value.suggested_filename == "ladder-differences.csv"
