"""The browser draws the selected maps of the Attention page first; the address and the server follow."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_query
from tests.browser.choices import choose, option
from tests.browser.conftest import Server, open_page, ready
from tests.browser.drawn import GRID, HEADING, PICTURE, SCALE, drawn_state, wait_until_drawn
from tests.browser.held_line import HeldLine
from tests.browser.test_address import enter_sentence, go_to_page
from tests.tiers import nightly
from views.controls import sentence_input

SENTENCE = "I want to buy a car."

# Selects an option in the page and returns immediately: what the maps are of, the selected one's heading, its
# picture and colours, the setting in the address, and how many messages were sent.
PRESS = f"""([name, value]) => {{
    const grid = {GRID}
    const list = grid.querySelectorAll("select")[["layer", "head"].indexOf(name)]
    const pressed = list ?? grid.querySelector(`input[name=${{name}}][value=${{value}}]`)
    if (list) {{
        list.value = value
        list.dispatchEvent(new Event("change"))
    }} else pressed.click()
    const setting = new URLSearchParams(location.search).get(name)
    return [grid.dataset.drawn, {HEADING}, {PICTURE}, {SCALE}.join(), setting, window.messagesSent]
}}"""
COUNT = """() => {
    const send = WebSocket.prototype.send
    window.messagesSent = 0
    WebSocket.prototype.send = function (message) { messagesSent++; send.call(this, message) }
}"""
CHOICES = {"kind": "cross", "units": "words", "marks": "hidden", "scale": "log", "layer": "3", "head": "mean"}
CHOSEN = "Cross-attention, layer 3, mean over heads"


def open_attention(page: Page, server: Server, text: str = SENTENCE) -> None:
    open_page(page, f"{server.url}/attention?kind=encoder&text={quote(text)}")
    page.wait_for_function(f"() => {HEADING}")


def expect_choices(page: Page) -> None:
    """Wait until all settings of `CHOICES` are on the screen."""
    page.wait_for_function(f"expected => {HEADING} === expected", arg=CHOSEN)
    for name in ("Cross", "Whole words", "Hidden", "Logarithmic"):
        expect(option(page, name)).to_be_checked()
    expect(page.get_by_role("combobox", name="Layer")).to_have_value("3")
    expect(page.get_by_role("combobox", name="Head")).to_have_value("mean")


def test_every_choice_is_drawn_before_anything_is_sent(page: Page, server: Server):
    open_attention(page, server, "We would probably rather stay at home tonight.")
    page.evaluate(COUNT)
    before = page.evaluate(f"() => [{GRID}.dataset.drawn, {HEADING}, {PICTURE}, {SCALE}.join()]")
    for name, value in CHOICES.items():
        *now, announced, messages = page.evaluate(PRESS, [name, value])
        assert now != before, name
        assert (announced, messages) == (value, 0), name
        before = now
    expect(page.locator(".st-key-download-cross-layer-3-head-mean-csv")).to_be_visible()
    ready(page)
    assert page.evaluate("messagesSent") == 1
    expect_choices(page)
    expect_query(page, text="We would probably rather stay at home tonight.", **CHOICES)


@pytest.mark.nightly
def test_files_and_sums_follow_the_selection(page: Page, server: Server):
    open_attention(page, server)
    for choice in CHOICES.items():
        page.evaluate(PRESS, list(choice))
    expect(page.get_by_text("Hidden columns have")).to_be_visible()
    with page.expect_download() as download:
        page.locator(".st-key-download-cross-npz button").click()
    stored = np.load(io.BytesIO(download.value.path().read_bytes()))
    assert "</s>" not in stored["key_tokens"]
    page.locator(".detail summary").click()
    expect(page.locator(".detail td").first).to_be_visible()
    drawn = page.locator(".detail td").evaluate_all("cells => cells.map((cell) => Number(cell.title))")
    mean = stored["attention"].mean(axis=1, dtype=np.float32)[2]
    np.testing.assert_array_equal(np.array(drawn, np.float32).reshape(mean.shape), mean)


def reload(page: Page) -> None:
    page.reload()


def open_copied_link(page: Page) -> None:
    page.goto(page.url)


@pytest.mark.parametrize(
    ("come_again", "still"),
    [
        (reload, False),
        nightly(open_copied_link, True),
        nightly(open_copied_link, False),
        nightly(reload, True),
    ],
)
def test_the_address_restores_the_selection_however_soon_it_is_used(
    page: Page, server: Server, come_again: Callable[[Page], None], still: bool
):
    open_attention(page, server)
    for choice in CHOICES.items():
        page.evaluate(PRESS, list(choice))
    if still:
        expect(page.locator(".st-key-download-cross-layer-3-head-mean-csv")).to_be_visible()
        ready(page)
    come_again(page)
    ready(page)
    expect_choices(page)
    expect_query(page, text=SENTENCE, **CHOICES)


@pytest.mark.nightly
def test_back_forward_and_other_pages_restore_the_selection(page: Page, server: Server):
    open_attention(page, server)
    for choice in CHOICES.items():
        page.evaluate(PRESS, list(choice))
    enter_sentence(page, "Where?")
    option(page, "Encoder").click()
    choose(page, "Shown")
    page.go_back()  # before any of this was sent
    expect_choices(page)
    expect_query(page, text=SENTENCE, **CHOICES)
    ready(page)
    expect(page.locator(".st-key-download-cross-layer-3-head-mean-csv")).to_be_visible()
    page.go_forward()
    expect(option(page, "Shown")).to_be_checked()
    expect(option(page, "Encoder")).to_be_checked()
    option(page, "Decoder").click()
    go_to_page(page, "Tokens")
    expect(page).to_have_url(re.compile("kind=decoder"))
    go_to_page(page, "Attention")
    expect(option(page, "Decoder")).to_be_checked()
    expect(option(page, "Logarithmic")).to_be_checked()


@pytest.mark.nightly
def test_other_views_share_the_selection_of_the_maps(page: Page, server: Server):
    open_attention(page, server)
    for list_, value in (("Layer", "3"), ("Head", "mean")):
        page.get_by_role("combobox", name=list_).select_option(value=value)
    for name in ("Cross", "Whole words", "Hidden", "Logarithmic"):
        choose(page, name)
    option(page, "Lines").click()
    page.locator(".lines-root .query-axis").wait_for()
    for name in ("Cross", "Whole words"):
        expect(option(page, name)).to_be_checked()
    expect(page.locator(".lines-root .choices .fold")).to_have_text("Options \u00b7 Special tokens: Hidden")
    choose(page, "Tokens")
    option(page, "Maps").click()
    page.wait_for_function(f"expected => {HEADING} === expected", arg=CHOSEN)
    expect(option(page, "Tokens")).to_be_checked()
    expect_query(page, text=SENTENCE, **{name: value for name, value in CHOICES.items() if name != "units"})


@pytest.mark.nightly
def test_late_responses_do_not_move_the_selection(held_page: tuple[Page, HeldLine], server: Server):
    """Two answers are delayed while further options are chosen, then delivered."""
    page, line = held_page
    open_attention(page, server)
    line.hold(answers=True)
    page.evaluate(PRESS, ["kind", "cross"])
    line.wait_for(1, answers=True, part=b"kind=cross")
    page.evaluate(PRESS, ["head", "2"])
    page.get_by_label("English sentence").fill("Where?")
    page.get_by_label("English sentence").press("Enter")
    page.evaluate(PRESS, ["kind", "decoder"])
    page.evaluate(PRESS, ["layer", "4"])
    before = drawn_state(page)
    line.release(answers=True)
    wait_until_drawn(page, before)
    headings = page.evaluate(f"() => {HEADING}")
    assert headings == "Masked decoder self-attention, layer 4, head 2"
    expect_query(page, text="Where?", kind="decoder", layer="4", head="2")
    ready(page)
    expect(page.locator(".st-key-download-decoder-layer-4-head-2-csv")).to_be_visible()
    assert page.evaluate(f"() => {HEADING}") == headings


# Bottom of the overview and of the chosen map with all that belongs to it, and the top of the latter, on the page.
EDGES = f"""() => {{
    const grid = {GRID}
    const scrolled = document.querySelector('[data-testid="stMain"]').scrollTop
    const [overview, detail] = [".overview", ".detail"].map((part) => grid.querySelector(part).getBoundingClientRect())
    return [overview.bottom, detail.bottom, detail.top].map((edge) => edge + scrolled)
}}"""


@pytest.mark.parametrize("kind", ["encoder", nightly("decoder"), nightly("cross")])
def test_overview_and_chosen_map_are_whole_on_a_small_screen(page: Page, server: Server, kind: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    open_page(page, f"{server.url}/attention?kind={kind}&text={quote(sentence_input.TIRED)}")  # of 17 tokens
    page.wait_for_function(f"() => {HEADING}")
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    page.wait_for_function(f"() => ({EDGES})().every((edge) => edge <= innerHeight)")
    assert page.locator(".detail .queries span").evaluate_all("labels => labels.every((label) => label.textContent)")


def test_the_chosen_map_is_one_swipe_down_on_a_phone(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{server.url}/attention")
    page.wait_for_function(f"() => {HEADING}")
    _, bottom, top = page.evaluate(EDGES)
    assert bottom - 844 <= 844  # what is scrolled by then
    assert bottom - top <= 844 - 60  # below the menu it is whole
