"""No user action is lost, however close together they come and however slow the connection is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.address_bar import expect_query, expect_setting, path
from tests.browser.conftest import Server, open_page, ready
from tests.browser.held_line import HeldLine
from tests.browser.keys import tab_to
from tests.browser.menu import link_to
from tests.browser.test_address import enter_sentence, go_to_page, sentence_box, wait_for_page
from tests.tiers import nightly

FIRST, SECOND, THIRD = "I am a student.", "Where?", "We would rather stay at home tonight."


def address_of(sentence: str) -> bytes:
    """Return the part of the app's message that puts this sentence into the address."""
    return b"text=" + sentence.replace(" ", "+").encode()


def choose_by_mouse(page: Page) -> None:
    page.get_by_role("radio", name="Beam", exact=True).click()


def choose_by_keys(page: Page) -> None:
    tab_to(page.get_by_role("radio", name="Greedy", exact=True))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")


@pytest.mark.nightly
@pytest.mark.parametrize("action", [choose_by_mouse, nightly(choose_by_keys)])
def test_a_click_before_the_response_to_back_is_applied(
    held_page: tuple[Page, HeldLine], server: Server, action: Callable[[Page], None]
):
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    enter_sentence(page, SECOND)
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=address_of(FIRST))
    action(page)
    line.wait_for(1, answers=True, part=b"method=beam")
    line.release(answers=True)
    expect(sentence_box(page)).to_have_value(FIRST)
    expect_setting(page, text=FIRST, method="beam")
    ready(page)
    expect(page.get_by_role("radio", name="Beam", exact=True)).to_be_checked()
    expect_query(page, text=FIRST, method="beam")
    page.go_forward()
    expect(sentence_box(page)).to_have_value(SECOND)


@pytest.mark.nightly
def test_back_and_a_click_sent_together_are_both_applied(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    enter_sentence(page, SECOND)
    line.hold(answers=False)
    page.go_back()
    choose_by_mouse(page)
    line.wait_for(2, answers=False)
    line.release(answers=False)
    expect(sentence_box(page)).to_have_value(FIRST)
    expect_setting(page, text=FIRST, method="beam")
    ready(page)
    expect_query(page, text=FIRST, method="beam")


@pytest.mark.nightly
def test_a_sentence_typed_before_the_response_to_back_is_applied(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.&method=beam")
    enter_sentence(page, SECOND)
    page.get_by_role("radio", name="Greedy", exact=True).click()
    expect_query(page, text=SECOND)
    ready(page)
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=b"method=beam")
    sentence_box(page).fill(THIRD)
    sentence_box(page).press("Enter")
    line.wait_for(1, answers=True, part=address_of(THIRD))
    line.release(answers=True)
    expect_setting(page, text=THIRD, method="beam")
    ready(page)
    expect(sentence_box(page)).to_have_value(THIRD)


@pytest.mark.nightly
def test_a_click_on_the_old_page_does_not_undo_back(held_page: tuple[Page, HeldLine], server: Server):
    """Until the response arrives, the page that was left is still on the screen."""
    page, line = held_page
    open_page(page, f"{server.url}/lessons?text=I+am+a+student.")
    go_to_page(page, "Decoding")
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=address_of(FIRST))
    line.hold(answers=False)
    choose_by_mouse(page)
    line.wait_for(1, answers=False)
    line.release(answers=False)
    line.release(answers=True)
    wait_for_page(page, "Lessons")
    assert path(page) == "/lessons"
    expect_query(page, text=FIRST)
    page.go_forward()
    wait_for_page(page, "Decoding")


@pytest.mark.nightly
def test_a_sentence_is_sent_however_soon_the_menu_is_used(page: Page, server: Server):
    """The box loses the focus, and after so many milliseconds a link is pressed: neither waits for a response."""
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    lost = []
    for delay in range(0, 21, 2):
        title, name = (("Attention", "Attention"), ("Attention Atlas", "Translate"))[delay // 2 % 2]
        sentence = f"They waited for {delay} hours."
        sentence_box(page).fill(sentence)
        page.evaluate(
            """([title, delay]) => new Promise((done) => {
                const link = [...document.querySelectorAll(".st-key-pages a")]
                    .find((link) => link.textContent === title && link.checkVisibility());
                const { port1, port2 } = new MessageChannel();
                document.activeElement.blur();
                const left = performance.now();
                port1.onmessage = () => {
                    if (performance.now() - left < delay) return port2.postMessage(0);
                    link.click();
                    done();
                };
                port2.postMessage(0);
            })""",
            [name, delay],
        )
        wait_for_page(page, title)
        if sentence_box(page).input_value() != sentence:
            lost.append(delay)
    assert lost == []


def click(page: Page, link: Locator) -> None:
    link.click()


def press_enter(page: Page, link: Locator) -> None:
    tab_to(link, backwards=True)
    page.keyboard.press("Enter")


def activate(page: Page, link: Locator) -> None:
    """As assistive technology activates it: the box has the focus until then."""
    link.evaluate("link => link.click()")


@pytest.mark.parametrize("use", [click, nightly(press_enter), nightly(activate)])
def test_a_sentence_and_a_page_change_sent_together_are_both_applied(
    held_page: tuple[Page, HeldLine], server: Server, use: Callable[[Page, Locator], None]
):
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    sentence_box(page).fill(THIRD)
    line.hold(answers=False)
    use(page, link_to(page, "Attention"))
    line.wait_for(2, answers=False)
    line.release(answers=False)
    wait_for_page(page, "Attention")
    expect(sentence_box(page)).to_have_value(THIRD)
    expect_setting(page, text=THIRD)
    page.go_back()
    wait_for_page(page, "Attention Atlas")


def test_target_page_settings_do_not_overwrite_current_url(page: Page, server: Server):
    open_page(page, f"{server.url}/vision?view=cls")
    expect_setting(page, view="cls", picture="church")
    link_to(page, "Any model").evaluate(
        """link => {
            link.click()
            // as Streamlit at times writes it, before it goes to the page
            history.replaceState(history.state, "", `${location.pathname}?text=Where%3F`)
            history.pushState(history.state, "", `${location.pathname}?text=The+black+cat+is+sleeping+on+the+chair.`)
        }"""
    )
    page.wait_for_url(re.compile("/models"))
    ready(page)
    page.go_back()
    expect(page.get_by_role("radio", name="CLS attention", exact=True)).to_be_checked()
    expect_setting(page, view="cls", picture="church")
