"""Use the Decoding page: stepping, choosing, forcing a target, reading the beam."""

from __future__ import annotations

import csv
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.dragging import dragged
from tests.browser.keys import tab_to
from tests.browser.overflow import LAPTOP

SENTENCE = "I want to buy a car."
LONG = "The animal didn't cross the street because it was too tired."


def address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def choose(page: Page, option: str) -> None:
    page.get_by_role("radio", name=option, exact=True).click()
    ready(page)


def rows(page: Page, name: str) -> Locator:
    return page.get_by_role("table", name=re.compile(name)).locator("tbody tr")


def fill(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Control+Enter")  # applies a box of several lines too
    ready(page)


def test_stepping_with_buttons_and_with_the_keyboard(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}")
    now = page.locator(".aa-now")
    tokens = [now.text_content(), *page.locator(".aa-later").all_text_contents()]  # in a fold
    assert tokens[-1] == "</s>"
    page.get_by_role("button", name=re.compile("^Forward")).click()
    expect(now).to_have_text(tokens[1])
    tab_to(page.get_by_role("slider", name=re.compile("^Step")))
    page.keyboard.press("ArrowRight")
    expect(now).to_have_text(tokens[2])
    page.wait_for_function("() => location.search.includes('step=3')")
    page.get_by_role("button", name="Back", exact=False).first.click()
    expect(now).to_have_text(tokens[1])
    page.wait_for_function("() => location.search.includes('step=2')")
    page.reload()
    expect(now).to_have_text(tokens[1])


@pytest.mark.nightly
def test_the_stage_holds_the_step_and_a_token_that_is_pressed_chooses_its_step(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}&step=2")
    tokens = page.locator(".french button.token")
    expect(tokens.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".french button.later")).to_have_count(tokens.count() - 2)
    tokens.nth(3).click()
    expect(tokens.nth(3)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".candidates tr.chosen th")).to_have_text(tokens.nth(3).inner_text())
    page.wait_for_function("() => location.search.includes('step=4')")
    expect(page.get_by_role("slider", name=re.compile("^Step"))).to_have_value("4")
    expect(page.locator(".aa-now")).to_have_text(tokens.nth(3).inner_text())
    ready(page)
    expect(page.locator(".stage-root .heard")).to_contain_text("place 4 of")
    expect(page.locator("body > .announced")).to_have_text("")  # the stage alone announces the step


@pytest.mark.nightly
def test_the_stage_of_a_step_is_on_the_first_screen_and_its_sheet_does_not_cover_it(
    server: Server, page: Page, phone: Page
):
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/decoding?text={quote(LONG)}&step=5")
    for part in (".main", ".rail"):
        box = page.locator(f".stage-root > {part}").bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"], part
    open_page(phone, f"{server.url}/decoding?text={quote(LONG)}&step=5")
    sheet, token = phone.locator(".stage-root .rail"), phone.locator(".french button.token")
    expect(sheet).not_to_be_in_viewport()
    expect(phone.locator(".stage-root .caption")).to_be_in_viewport()
    token.nth(12).scroll_into_view_if_needed()
    token.nth(12).tap()
    expect(sheet.locator("tr.chosen")).to_be_in_viewport()
    sentence = "Yes."  # shorter than what is above the sheet
    open_page(phone, f"{server.url}/decoding?text={sentence}")
    assert sheet.bounding_box()["y"] >= phone.locator(".stage-root .texts").bounding_box()["y"]


@pytest.mark.nightly
def test_every_step_shows_its_lookup_and_its_selected_token(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}")
    page.get_by_text("The tokens and weights of this step, in numbers").click()
    lookups = set()
    for step in (1, 2, 3):
        expect(page.get_by_text(f"Cross-attention of step {step} over")).to_be_visible()
        weights = page.locator("[style*='009E73']")
        total = sum(float(text) for text in weights.locator("small").all_inner_texts())
        assert total == pytest.approx(1, abs=0.02)
        first = rows(page, f"most probable tokens of step {step}$").first
        assert first.locator("th").inner_text() == page.locator(".aa-now").inner_text()
        lookups.add(tuple(weights.all_inner_texts()))
        page.get_by_role("button", name=re.compile("^Forward")).click()
        ready(page)
    assert len(lookups) == 3


@pytest.mark.nightly
def test_the_choice_follows_its_sliders_and_the_server_confirms_it(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}&try_temperature=1.02")
    table, view = rows(page, "most probable tokens"), page.locator(".step-view")
    best, formula = table.first.locator("td").last, view.locator(".formula")
    before, drawn = float(best.inner_text()), int(view.get_attribute("data-drawn"))
    for name, share in (("Temperature", 0.9), ("Top p", 0.3), ("Top k", 0.05)):
        slider = page.get_by_role("slider", name=name)
        with dragged(page, slider, share):
            texts = [*table.all_inner_texts(), formula.inner_text()]
        drawn += 1
        expect(view).to_have_attribute("data-drawn", str(drawn))  # the server's numbers are there
        assert [*table.all_inner_texts(), formula.inner_text()] == texts
        assert float(view.get_attribute("data-difference")) < 1e-5
        ready(page)
        assert address(page)[slider.get_attribute("data-axis")] == [
            slider.locator("xpath=..").locator("b").inner_text()
        ]
    assert float(best.inner_text()) != before
    expect(table.nth(5)).to_contain_text("out")
    tab_to(slider)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(formula).to_contain_text("1 of 8,000 tokens are left")
    expect(best).to_have_text("1.00")
    page.wait_for_function("() => location.search.includes('try_k=1')")
    choose(page, "5")
    expect(table).to_have_count(5)


@pytest.mark.nightly
def test_the_output_layer_and_typed_rows(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}&part=linear-softmax")
    expect(rows(page, "largest logits")).to_have_count(10)
    worked = rows(page, "Rows as scores")
    assert [row.locator("td").nth(0).inner_text() for row in worked.all()] == ["0", "1", "0"]
    expect(worked.first).to_contain_text("no: the sum is 0.400")
    label = "Rows of numbers: a line, a list or a semicolon for each"
    fill(page, label, "0.5 0.5")
    expect(worked).to_have_count(1)
    expect(worked.first).to_contain_text("yes")
    fill(page, label, "<b>")
    expect(page.get_by_test_id("stAlert")).to_contain_text("finite number")


@pytest.mark.nightly
def test_forcing_the_tutorials_pair_and_then_a_wrong_target(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?part=teacher-forcing")
    page.get_by_role("button", name="The tutorial").click()
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    shifted = rows(page, "The shifted target")
    expect(shifted.first).to_have_text(re.compile(r"decoder reads\s*<s>\s*Je\s*veux\s*acheter\s*une\s*voiture\s*\."))
    expect(page.locator(".aa-encoder > span")).to_have_text(["I", "want", "to", "buy", "a", "car", ".", "</s>"])
    expect(page.get_by_text("both runs read the same")).to_be_visible()
    expect(page.locator(".aa-differs")).to_have_count(0)
    fill(page, "French target", "Je veux vendre une voiture.")
    expect(page.get_by_text("chooses a different token at position 3")).to_be_visible()
    assert "\u2260" in rows(page, "Teacher-forced").nth(2).inner_text()
    assert "\u2260" not in rows(page, "Teacher-forced").nth(1).inner_text()
    ready(page)  # the address is written last
    assert address(page)["target"] == ["Je veux vendre une voiture."]
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    lines = list(csv.reader(download.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert [line[3] for line in lines[1:5]] == ["Je", "veux", "vendre", "une"]
    page.get_by_role("button", name="The model").click()
    expect(page.locator(".aa-differs")).to_have_count(0)


@pytest.mark.nightly
def test_the_beam_as_a_tree(server: Server, page: Page):
    open_page(page, f"{server.url}/decoding?text={quote(SENTENCE)}&part=beam-search")
    tree = page.get_by_role("img", name=re.compile("Beam search of"))
    nodes = tree.locator("g[data-fate]")
    expect(nodes.first).to_be_visible()
    assert tree.locator("g[data-fate=pruned]").count() == 0
    count = nodes.count()
    choose(page, "All considered")
    expect(tree.locator("g[data-fate=pruned]").first).to_be_visible()
    assert nodes.count() > count
    assert tree.locator("g[data-fate=finished]").count() == 4
    ready(page)
    page.get_by_text("Checked", exact=True).click()
    expect(page.get_by_text("are the same.", exact=False)).to_be_visible()
    expect(rows(page, "What the search returns")).to_have_count(5)
    tab_to(page.get_by_role("slider", name="Beam width"))
    page.keyboard.press("ArrowLeft")
    expect(rows(page, "What the search returns")).to_have_count(4)
    expect(page).to_have_url(re.compile("[?&]beam=3(&|$)"))
