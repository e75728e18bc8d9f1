"""The stage in the whole screen, when presenting, and checked by axe in each of its states."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Server, open_page, ready
from tests.browser.held_line import HeldLine
from tests.browser.keys import tab_to
from tests.browser.overflow import PHONE, right_edge, wait_until_it_fits

pytestmark = pytest.mark.nightly

SENTENCE = "?text=The+animal+didn%27t+cross+the+street+because+it+was+too+tired."
PULL = f"{SENTENCE}&pull=pull:cross:4.1.2.3.4.5.6.7.8:2.15.8.847"
LONG = "?text=" + "+".join(["The+old+man+sees+a+small+dog,"] * 4)
LAPTOP = {"width": 1280, "height": 720}
HALL = {"width": 1920, "height": 1080}
# What of the stage is not whole on the screen, or scrolls.
CUT = """() => {
    const holders = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    const stage = holders.map((each) => each.shadowRoot?.querySelector(".stage-root")).find(Boolean)
    const parts = ".room, .token, .tools button, .texts p, .rail canvas, .pull button, .candidates tr"
    const shown = [...stage.querySelectorAll(parts)]
    const cut = shown.filter((each) => each.offsetParent).filter((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect()
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight
    })
    return cut.map((each) => each.className + " " + each.textContent)
}"""


def type_size(page: Page) -> float:
    return page.locator(".stage-root .french .token").first.evaluate(
        "token => parseFloat(getComputedStyle(token).fontSize)"
    )


def fill_screen(page: Page) -> None:
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("() => document.fullscreenElement")


@pytest.mark.parametrize(("size", "least"), [(HALL, 26), (LAPTOP, 17)], ids=["hall", "laptop"])
def test_the_stage_fills_the_screen_by_its_button_and_leaves_it_by_key(server: Server, page: Page, size, least):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/{SENTENCE}")
    before = type_size(page)
    fill_screen(page)
    expect(page.get_by_role("button", name="Full screen")).to_have_attribute("aria-pressed", "true")
    assert type_size(page) >= least and page.evaluate(CUT) == []
    page.locator(".french .token").nth(14).click()
    page.locator(".english .token").nth(1).click()
    page.get_by_role("button", name="Only this").click()
    expect(page.locator(".texts .lines")).to_contain_text("Hiding")
    assert page.evaluate("Boolean(document.fullscreenElement)") and page.evaluate(CUT) == []
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    expect(page.get_by_role("button", name="Full screen")).to_have_attribute("aria-pressed", "false")
    assert type_size(page) == before


def test_long_columns_scroll_in_the_screen(server: Server, page: Page):
    page.set_viewport_size(HALL)
    open_page(page, f"{server.url}/{LONG}")
    page.locator(".stage-root .caption").hover()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement")
    room = page.locator(".stage-root .room")
    expect(room).to_have_class(re.compile("scrolls"))
    assert room.evaluate("room => room.scrollHeight > room.clientHeight")
    assert [part for part in page.evaluate(CUT) if not part.startswith("token ")] == []


@pytest.mark.parametrize("address", [SENTENCE, PULL], ids=["sentence", "pull"])
def test_the_stage_is_whole_when_presenting_and_while_it_is_played(server: Server, page: Page, address: str):
    page.set_viewport_size(HALL)
    open_page(page, f"{server.url}/{address}&present=1")
    if address == PULL:
        expect(page.locator(".texts .lines")).to_contain_text("Hiding")
        expect(page.locator(".pull .scale span").first).to_be_visible()
    assert type_size(page) >= 26 and page.evaluate(CUT) == []
    box = page.get_by_label("English sentence")
    assert box.evaluate("""box => {
        const { x, top, bottom } = box.getBoundingClientRect()
        return [top + 2, bottom - 2].every((y) => document.elementFromPoint(x + 5, y) === box)
    }"""), "something covers the sentence"
    tab_to(page.get_by_role("button", name="Play"))
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".french button.token:visible")).to_have_count(3)
    assert page.evaluate(CUT) == []


def test_a_short_sentence_after_a_long_one_is_in_rows_again(server: Server, page: Page):
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/{LONG}")
    stage, box = page.locator(".stage-root"), page.get_by_label("English sentence")
    expect(stage).to_have_class(re.compile("columns"))
    box.fill("She reads a book in the old garden. ")
    expect(stage).to_have_attribute("data-drawn", re.compile("^She .* garden"))
    expect(stage).not_to_have_class(re.compile("columns"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_axe_accepts_every_state(server: Server, page: Page, size, scheme):
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    open_page(page, f"{server.url}/{PULL}")
    expect(page.locator(".stage-root .pull .scale span").first).to_be_attached()
    expect(page.locator(".texts .lines")).to_contain_text("Hiding")
    assert violations(page) == []
    page.get_by_role("button", name="One token on").click()
    page.get_by_role("button", name="One token on").click()
    expect(page.locator(".french .token.open")).to_be_visible()
    assert violations(page) == []
    fill_screen(page)
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [HALL, PHONE], ids=["hall", "phone"])
@pytest.mark.parametrize("address", ["", "decoding"], ids=["home", "decoding"])
def test_axe_accepts_an_opened_layer(server: Server, page: Page, size, scheme, address: str):
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    open_page(page, f"{server.url}/{address}{SENTENCE}")
    tab_to(page.locator(".french button.token").first)
    page.keyboard.press("l")
    lane = page.locator(".lane")
    expect(lane.locator("li")).to_have_count(7)
    wide = size is HALL
    expect(lane.locator(".band .strand")).to_have_count(4)
    expect(lane.locator(".band")).to_be_visible()
    if wide:
        stations = lane.locator("li").evaluate_all("all => all.map((each) => each.offsetLeft + each.offsetWidth / 2)")
        circles = lane.locator(".band circle").evaluate_all("all => all.map((each) => each.cx.baseVal.value)")
        assert circles == pytest.approx(stations, abs=1)
    assert violations(page) == []


def test_a_pull_that_is_reset_stays_reset_when_another_map_is_chosen_before_the_answer(
    held_page: tuple[Page, HeldLine], server: Server
):
    page, line = held_page
    open_page(page, f"{server.url}/{PULL}")
    place = page.locator(".stage-root .french button.token").nth(14)
    expect(place).to_have_text("il")
    expect(page.locator(".texts .lines")).to_contain_text("Hiding")
    line.hold(answers=True)
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("gridcell", name="Show Cross-attention, layer 2, head 3").click()
    page.wait_for_url("**layer=2**")
    line.wait_for(1, answers=True)
    line.release(answers=True)
    expect(place).to_have_text("elle")
    page.wait_for_url(lambda url: "pull=" not in url and "layer=2" in url and "head=3" in url)
    ready(page)
    page.reload()
    expect(place).to_have_text("elle")
    expect(page.locator(".stage-root .caption button")).to_have_text("Cross-attention, layer 2, head 3")


def test_requests_that_are_lost_are_sent_again_and_done_once(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/{SENTENCE}")
    page.locator(".stage-root .french button.token").nth(14).click()
    line.hold(answers=False)
    page.locator(".english .token").nth(1).click()
    line.wait_for(1, answers=False, part=b"sweep")
    line.lose(answers=False)
    expect(page.locator(".scale span")).to_have_text(["elle", "il"])
    line.hold(answers=False)
    page.get_by_role("button", name="Only this").click()
    line.wait_for(1, answers=False, part=b'"pull"')
    line.lose(answers=False)
    expect(page.locator(".texts .lines")).to_contain_text("Hiding")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".texts .note")).not_to_contain_text("forced")


def test_an_answer_that_another_run_follows_at_once_is_shown(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/{SENTENCE}")
    page.locator(".stage-root .french button.token").nth(14).click()
    line.hold(answers=True)
    page.locator(".english .token").nth(1).click()
    line.wait_for(1, answers=True, part=b"weights")
    page.get_by_role("gridcell", name="Show Cross-attention, layer 2, head 3").click()
    page.wait_for_url("**layer=2**")
    line.wait_for(2, answers=True, part=b"weights")
    line.release(answers=True)
    expect(page.locator(".scale span")).to_have_text(["elle", "il"], timeout=2900)  # before the request is sent again


def test_thirty_tokens_are_whole_on_a_small_laptop(server: Server, page: Page):
    page.set_viewport_size(LAPTOP)
    words = "When the old man who lives in the next house came home late in the evening"
    more = "he told us that his dog was very tired"
    open_page(page, f"{server.url}/?text={f'{words} , {more} .'.replace(' ', '+')}")
    tokens = page.locator(".english button.token")
    expect(tokens).to_have_count(30)
    box = tokens.last.bounding_box()
    assert box and box["y"] + box["height"] <= LAPTOP["height"]
    expect(page.locator(".room:not(.scrolls)")).to_be_visible()


def test_an_open_table_does_not_widen_the_page_on_a_phone(server: Server, phone: Page):
    open_page(phone, f"{server.url}/?text=The+black+cat+is+sleeping+on+the+chair.")
    phone.locator(".stage-root details.numbers summary").click()
    expect(phone.locator(".stage-root details.numbers table")).to_be_visible()
    wait_until_it_fits(phone)
    assert right_edge(phone) <= PHONE["width"]
