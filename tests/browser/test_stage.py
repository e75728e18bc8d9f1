"""The stage of the home page in a browser: pointing, holding, keys, and the choice of a map, all without a request."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.held_line import HeldLine
from tests.browser.keys import tab_to
from tests.browser.touch import drag_finger, tap
from tests.fixed_examples import PULLS

SENTENCE = "?text=The+animal+didn%27t+cross+the+street+because+it+was+too+tired."
PLACE = 14  # of "elle"


def french(page: Page, place: int = PLACE):
    return page.locator(".french button.token").nth(place)


def tab_to_french(page: Page, place: int | None = None, backwards: bool = False) -> None:
    """Reach the French tokens by Tab, and from the first of them one by arrows."""
    tab_to(page.locator(".french button.token[tabindex='0']"), backwards)
    for _ in range(place or 0):
        page.keyboard.press("ArrowRight")
    if place is not None:
        expect(french(page, place)).to_be_focused()


def middle_of(page: Page, selector: str) -> list[float]:
    """Where the pointer touches the middle of the widest line of the stage that fits the selector."""
    return page.evaluate(
        """(selector) => {
            const holders = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
            const lines = holders.flatMap((each) => [...(each.shadowRoot?.querySelectorAll(selector) ?? [])])
            const width = (line) => Number(line.getAttribute("stroke-width"))
            const line = lines.reduce((one, other) => (width(other) > width(one) ? other : one))
            const { x, y } = line.getPointAtLength(line.getTotalLength() / 2)
            const place = line.ownerSVGElement.getBoundingClientRect()
            return [x + place.x, y + place.y]
        }""",
        selector,
    )


def count_messages(page: Page) -> list[int]:
    """Count what the page sends from now on."""
    page.evaluate("""() => {
        window.messages = 0
        const send = WebSocket.prototype.send
        WebSocket.prototype.send = function (data) { window.messages += 1; send.call(this, data) }
    }""")


def test_a_token_is_looked_at_and_held_without_a_request(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    expect(page.locator(".stage-root .caption button")).to_have_text("Cross-attention, layer 4, mean of 8 heads")
    for side, language in (("english", "en"), ("french", "fr")):
        shown = page.locator(f".{side} .token").evaluate_all("nodes => nodes.map(({ lang }) => lang)")
        assert shown and set(shown) == {language}
    expect(french(page)).to_have_accessible_name(
        "' \u2192 elle, place 15 of 20, attends to it 0.401, </s> 0.215, was 0.161, be 0.072, other 0.150"
    )
    expect(french(page)).to_have_attribute("title", "' \u2192 elle")  # the token read, and the one chosen there
    count_messages(page)
    french(page).hover()
    expect(page.locator(".weights span")).to_have_text(["0.072", "0.046", "0.401", "0.161", "0.058", "0.215"])
    expect(page.locator(".candidates tr.chosen")).to_contain_text("elle")
    french(page).click()
    page.mouse.move(0, 0)
    expect(french(page)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".candidates tr")).to_have_count(5)
    expect(page.locator(".stage-root .heard")).to_contain_text("Held: ' \u2192 elle, place 15 of 20")
    page.keyboard.press("Escape")
    expect(page.locator(".weights span")).to_have_count(0)
    # from the pointer to the new drawing, in the browser's own clock
    slowest = page.evaluate("""() => {
        const root = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
            .map((holder) => holder.shadowRoot).find((shadow) => shadow?.querySelector(".stage-root"))
        const times = [...root.querySelectorAll(".token")].map((token) => {
            const from = performance.now()
            token.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}))
            root.querySelector(".field").getBoundingClientRect()
            return performance.now() - from
        })
        return times.sort((one, other) => one - other)[Math.floor(times.length / 2)]
    }""")
    assert slowest < 16
    assert page.evaluate("window.messages") == 0


def test_another_map_is_drawn_at_once_and_is_in_the_address(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    page.get_by_role("gridcell", name="Show Cross-attention, layer 2, head 3").click()
    title = page.locator(".stage-root .caption button")
    expect(title).to_have_text("Cross-attention, layer 2, head 3")
    page.get_by_role("radio", name="Decoder").check()
    expect(title).to_have_text("Masked decoder self-attention, layer 4, mean of 8 heads")
    page.get_by_role("radio", name="Cross", exact=True).check()
    expect(title).to_have_text("Cross-attention, layer 2, head 3")  # each kind remembers its own
    page.wait_for_url("**/*layer=2*")
    page.reload()
    expect(title).to_have_text("Cross-attention, layer 2, head 3")
    expect(page.get_by_role("gridcell", name="Show Cross-attention, layer 2, head 3")).to_have_attribute(
        "aria-selected", "true"
    )


def test_keys_move_hold_and_choose_a_ribbon(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    tab_to(french(page, 0))
    page.keyboard.press("ArrowRight")
    expect(french(page, 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(french(page, 1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".english .token.picked")).to_have_text("The")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".english .token.picked")).to_have_text("animal")
    expect(page.locator(".stage-root .heard")).to_contain_text("attends to animal: ")
    page.locator(".stage-root summary").click()
    expect(page.locator(".stage-root .scroll tbody tr").first).to_contain_text("1 <s> \u2192 L")


def test_on_a_phone_the_figure_has_columns_and_a_sheet(server: Server, phone: Page):
    open_page(phone, f"{server.url}/{SENTENCE}")
    english, place = phone.locator(".english .token").nth(1).bounding_box(), french(phone, 1).bounding_box()
    assert english["x"] < place["x"] and english["height"] == place["height"]
    french(phone, 2).tap()
    expect(phone.locator(".rail .candidates tr.chosen")).to_be_in_viewport()
    phone.locator(".stage-root .caption button").tap()
    phone.get_by_role("gridcell", name="Show Cross-attention, layer 1, head 1").tap()
    expect(phone.locator(".stage-root .caption button")).to_have_text("Cross-attention, layer 1, head 1")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.nightly
def test_a_layer_is_opened_by_key_and_closed_again(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    opener, lane = page.get_by_role("button", name="Open the layer (L)"), page.locator(".lane")
    expect(opener).to_be_disabled()
    tab_to_french(page, PLACE)
    page.keyboard.press("l")  # holds it
    expect(lane.locator("li")).to_have_count(7)
    expect(lane).to_be_focused()
    expect(lane.locator("h2")).to_contain_text("Cross-attention at ' \u2192 elle: layer 4, head ")
    page.keyboard.press("Escape")
    expect(lane).to_be_hidden()
    expect(french(page)).to_be_focused()
    page.get_by_role("button", name="Open layer 2 for the held token").click()
    expect(lane.locator("h2")).to_contain_text("layer 2, head ")
    expect(page.locator(".stage-root .caption button")).to_have_text("Cross-attention, layer 2, mean of 8 heads")
    lane.get_by_role("link", name="Softmax").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Inside a layer")
    expect(page.get_by_role("radio", name="5 Softmax")).to_be_checked()


@pytest.mark.nightly
def test_ribbons_fold_into_an_opened_layer_on_a_phone(server: Server, phone: Page):
    """Into a band that runs down next to the stations: as wide as its weight from softmax to the weighted mean."""
    open_page(phone, f"{server.url}/{SENTENCE}")
    french(phone).tap()
    phone.get_by_role("button", name="Open the layer (L)").tap()
    lane = phone.locator(".lane")
    expect(lane.locator("li")).to_have_count(7)
    stations = lane.locator(".band .station").evaluate_all("all => all.map((one) => one.getBoundingClientRect().y + 4)")
    titles = lane.locator("li a").evaluate_all("all => all.map((one) => one.getBoundingClientRect())")
    assert all(title["top"] <= y <= title["bottom"] for y, title in zip(stations, titles, strict=True))
    shares = (
        lane.locator("li")
        .nth(3)
        .locator(".share")
        .evaluate_all("all => all.map((one) => Number(one.style.getPropertyValue('--share')))")
    )
    widths = lane.locator(".band .strand").evaluate_all(
        "all => all.map((one) => Number(one.getAttribute('stroke-width')))"
    )
    assert sorted(widths) == pytest.approx(sorted(max(1, 24 * share) for share in shares))
    texts = lane.locator("li > *").evaluate_all("all => all.map((one) => one.getBoundingClientRect().left)")
    assert min(texts) > lane.locator(".band .station").first.bounding_box()["x"] + 8
    lane.get_by_role("button", name="Close the layer").tap()
    expect(lane).to_be_hidden()


@pytest.mark.nightly
def test_the_translation_is_played_token_by_token(server: Server, page: Page):
    """By the buttons for a step, and by itself to the end, without a request; Escape shows the whole."""
    open_page(page, f"{server.url}/?text=The+cat+is+black.")
    french(page, 5).click()  # where Tab leads from now on: it is hidden while the others are shown
    page.keyboard.press("Escape")
    count_messages(page)
    on, back = (page.get_by_role("button", name=f"One token {way}") for way in ("on", "back"))
    for _ in range(3):
        on.click()
    expect(page.locator(".french button.token:visible")).to_have_text(["Le", "chat", "est"])  # the last is chosen here
    expect(page.locator(".french .open")).to_have_text("est")
    expect(page.locator(".candidates tr.chosen")).to_contain_text("est")
    back.click()
    expect(page.locator(".french .open")).to_have_text("chat")
    tab_to_french(page, backwards=True)
    page.keyboard.press("Escape")
    expect(page.locator(".french button.token:visible")).to_have_count(6)
    page.get_by_role("slider", name="Speed").fill("4")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".french button.token:visible")).to_have_count(6)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert page.evaluate("window.messages") == 0


def test_typing_is_translated_before_enter_and_is_one_entry_in_the_history(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    stage, box = page.locator(".stage-root"), page.get_by_label("English sentence")
    expect(french(page)).to_be_visible()
    page.evaluate("""() => {
        window.pushed = 0
        const push = history.pushState
        history.pushState = function (...entry) { window.pushed++; return push.apply(this, entry) }
    }""")  # a tab that has been to many pages does not count further entries
    address = page.url
    box.fill("She reads a book. ")
    expect(stage).to_have_attribute("data-drawn", re.compile("^She .* book"))
    expect(stage).not_to_have_class(re.compile("outdated"))
    expect(page.locator(".aa-line")).to_have_count(1)
    expect(page.locator(".aa-line")).to_contain_text("lit")
    expect(page.locator(".stage-root .texts .now")).to_have_count(0)
    files = page.locator(".aa-entered").last  # at the file of the tokens
    expect(files).to_be_visible()
    expect(files).to_contain_text("The animal didn't cross the street")
    assert (page.evaluate("window.pushed"), page.url) == (0, address)
    box.fill("She reads a book.")
    box.press("Enter")
    page.wait_for_url("**text=She+reads+a+book.**")
    expect(page.locator(".aa-line")).to_contain_text("lit")
    expect(files).to_be_hidden()
    assert page.evaluate("window.pushed") == 1
    page.go_back()
    expect(stage).to_have_attribute("data-drawn", re.compile("^The animal"))
    expect(box).to_have_value("The animal didn't cross the street because it was too tired.")


def test_no_draft_and_no_pull_is_set_on_the_sentence_that_is_entered_behind_it(
    held_page: tuple[Page, HeldLine], server: Server
):
    """Answers take five seconds: the browser sends again what has none, by its clock, which the test moves on."""
    page, line = held_page
    page.clock.install()
    open_page(page, f"{server.url}/{SENTENCE}")
    stage, box = page.locator(".stage-root"), page.get_by_label("English sentence")
    french(page).click()
    page.locator(".english .token").nth(1).click()
    expect(page.locator(".scale span")).to_have_text(["elle", "il"])
    long = "She reads a book in the old garden of the small house because the weather is good."  # has the pulled place
    for number, entered in enumerate((long, "Where is the old house?")):
        if number:
            line.hold(answers=True)
            box.press_sequentially("He ")
            line.wait_for(1, answers=True)
        else:
            line.hold(answers=False)
            page.get_by_role("button", name="Only this").click()
            line.wait_for(1, answers=False, part=b'"pull"')
            line.lose(answers=False)
            line.hold(answers=True)
        box.fill(entered)
        box.press("Enter")
        page.clock.run_for(5000)
        line.release(answers=True)
        expect(stage).to_have_attribute("data-drawn", re.compile(f"^{entered[:4]}"))
        layer = str(number + 1)
        page.get_by_role("gridcell", name=f"Show Cross-attention, layer {layer}, head 3").click()
        page.clock.run_for(1000)  # then the server gets the choice, after all other messages
        expect(page.locator("[data-chosen]")).to_have_attribute("data-chosen", re.compile(f'"layer": "{layer}"'))
        ready(page)
        expect(stage).to_have_attribute("data-drawn", re.compile(f"^{entered[:4]}"))
        expect(box).to_have_value(entered)
        expect(page.locator(".aa-line")).to_contain_text(("lit", "maison")[number])
        expect(page.locator(".texts .before")).to_have_count(0)
        assert "pull=" not in page.url and entered.split()[0] in page.url


@pytest.mark.nightly
def test_a_sample_is_drawn_again_at_another_temperature(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    greedy = page.locator(".stage-root").get_attribute("data-drawn")
    page.get_by_role("button", name="Draw a sample").click()
    page.wait_for_url("**method=sampling**")
    heat = page.locator(".stage-root").get_by_role("slider", name="Temperature")
    heat.fill("2.5")
    page.wait_for_url("**temperature=2.5**")
    expect(page.locator(".stage-root")).not_to_have_attribute("data-drawn", greedy)
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url("**seed=1**")
    page.get_by_role("button", name="One token on").click()
    expect(page.locator(".candidates thead")).to_have_text("drawmodel")
    page.get_by_role("button", name="Back to greedy").click()
    expect(page.locator(".stage-root")).to_have_attribute("data-drawn", greedy)


@pytest.mark.nightly
def test_a_ribbon_is_pulled_controlled_and_taken_back(server: Server, page: Page):
    """By dragging, which sends nothing until it ends; the link has the pull; then by an example."""
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_page(page, f"{server.url}/{SENTENCE}")
    french(page).click()
    page.locator(".english .token").nth(1).click()
    expect(page.locator(".pull h2")).to_have_text("' \u2192 elle attends to animal")
    expect(page.locator(".scale span")).to_have_text(["elle", "il"])
    count_messages(page)
    x, y = middle_of(page, ".front .ribbon.picked")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y, steps=5)
    expect(page.locator(".texts .now mark")).to_have_text("il ")
    assert page.evaluate("window.messages") == 0
    received.clear()
    page.mouse.up()
    expect(page.locator(".texts .lines")).to_contain_text("for 7 of 16")
    expect(page.locator(".aa-line mark")).to_have_text("il")
    expect(page.locator(".texts .now")).to_have_count(0)
    assert sum(received) < 30_000  # both answers: the translation with the changed weights, and the control
    expect(page.locator(".texts .note")).to_contain_text("You forced this weight.")
    expect(french(page)).to_have_text("il")
    page.wait_for_url(lambda url: "pull=pull" in url)
    page.go_back()
    expect(french(page)).to_have_text("elle")
    page.go_forward()
    expect(french(page)).to_have_text("il")
    page.reload()
    expect(french(page)).to_have_text("il")
    page.get_by_role("button", name="Undo").click()
    expect(french(page)).to_have_text("elle")
    assert "pull=" not in page.url
    page.locator(".examples a").last.click()
    expect(page.locator(".aa-line .aa-text")).to_have_text(PULLS["black"].after)
    expect(page.locator(".texts .lines")).to_contain_text("None of the other")
    page.locator(".examples a").click()
    expect(page.locator(".aa-line .aa-text")).to_have_text(PULLS["sad"].after)


@pytest.mark.nightly
def test_a_weight_is_pulled_by_keys(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}")
    tab_to_french(page, PLACE)
    for key in ("Enter", "ArrowDown", "ArrowDown", "1"):
        page.keyboard.press(key)
    expect(french(page)).to_have_text("il")
    page.keyboard.press("Control+z")
    expect(french(page)).to_have_text("elle")
    page.keyboard.press("1")
    expect(french(page)).to_have_text("il")
    page.get_by_role("heading", level=1).click()  # no element has the focus
    page.keyboard.press("Control+z")
    expect(french(page)).to_have_text("elle")


@pytest.mark.nightly
def test_an_arc_of_the_decoder_is_dragged_and_a_key_of_the_encoder_is_tapped(server: Server, page: Page):
    open_page(page, f"{server.url}/{SENTENCE}&kind=decoder")
    french(page).click()
    x, y = middle_of(page, ".front .grip")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y, steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile("pull=pull(:|%3A)decoder"))
    expect(page.locator(".pull h2")).to_have_text(re.compile("^' \u2192 elle attends to "))
    page.get_by_role("button", name="Reset").click()
    page.wait_for_url(lambda url: "pull=" not in url)
    page.get_by_role("radio", name="Encoder").check()
    page.locator(".english .token").nth(11).click()
    page.locator(".english .token").nth(1).click()
    expect(page.locator(".pull h2")).to_have_text("it attends to animal")
    expect(page.locator(".scale span").first).to_be_visible()
    page.get_by_role("button", name="Only this").click()
    page.wait_for_url(re.compile("pull=pull(:|%3A)encoder"))
    expect(page.locator(".texts .note")).to_contain_text("You forced this weight.")
    page.reload()
    expect(page.locator(".pull h2")).to_have_text("it attends to animal")


@pytest.mark.nightly
def test_a_ribbon_is_pulled_by_thumb_without_scrolling_and_a_swipe_next_to_it_scrolls(server: Server, phone: Page):
    open_page(phone, f"{server.url}/{SENTENCE}")
    tap(french(phone, 3))
    expect(phone.locator(".french .token[aria-pressed=true]")).to_have_text("ima")
    phone.evaluate("""() => {
        window.scrolls = 0
        addEventListener("scroll", () => (window.scrolls += 1), { capture: true, passive: true })
    }""")
    x, y = middle_of(phone, ".front .ribbon")
    drag_finger(phone, [(x + step, y) for step in range(0, 90, 10)])
    phone.wait_for_url("**pull=pull**")
    expect(phone.locator(".brief .now")).to_be_visible()
    assert phone.evaluate("window.scrolls") == 0
    x, y = middle_of(phone, ".rest .ribbon")
    drag_finger(phone, [(x, y - step) for step in range(0, 210, 10)])
    phone.wait_for_function("() => window.scrolls > 0")
    slider = phone.locator(".pull input[type=range]")
    assert slider.bounding_box()["height"] >= 44
    for button in phone.locator(".pull button:visible, .play button:visible").all():
        assert button.bounding_box()["height"] >= 44
