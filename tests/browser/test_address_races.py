"""Nothing of what a reader does is lost, however close together deeds come and however slow the line is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.browser.address_bar import expect_query, expect_setting, path
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.menu import link_to
from tests.browser.overflow import WIDE
from tests.browser.test_address import arrived, box, go, write
from tests.tiers import nightly

FIRST, SECOND, THIRD = "I am a student.", "Where?", "We would rather stay at home tonight."


class Line:
    """The line between a browser and the app; messages of either direction can be held back."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._waiting: dict[bool, list[bytes]] = {True: [], False: []}  # from the app?
        self._stopped = {True: False, False: False}
        self._ends: dict[bool, Callable[[bytes], None]] = {}
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        app = browser.connect_to_server()
        self._ends = {True: browser.send, False: app.send}
        app.on_message(lambda message: self._pass(True, message))
        browser.on_message(lambda message: self._pass(False, message))

    def _pass(self, answers: bool, message: bytes) -> None:
        self._waiting[answers].append(message)
        if not self._stopped[answers]:
            self.let_go(answers=answers)

    def hold(self, *, answers: bool) -> None:
        """Hold back the app's answers, or what the browser asks."""
        self._stopped[answers] = True

    def let_go(self, *, answers: bool) -> None:
        self._stopped[answers] = True  # while a message is on its way others come, which go behind it
        while self._waiting[answers]:
            self._ends[answers](self._waiting[answers].pop(0))
        self._stopped[answers] = False

    def wait_for(self, count: int, *, answers: bool, part: bytes = b"") -> None:
        """Until so many messages with `part` in them are held back."""
        until = time.monotonic() + PATIENCE / 1000
        while sum(part in message for message in self._waiting[answers]) < count:
            assert time.monotonic() < until, f"{count} messages with {part} were to come"
            self._page.wait_for_timeout(5)


@pytest.fixture
def slow(browser: Browser) -> Iterator[tuple[Page, Line]]:
    """A fresh visitor whose line can be held."""
    page = browser.new_page(viewport=WIDE, reduced_motion="reduce")
    yield page, Line(page)
    page.close()


def address_of(sentence: str) -> bytes:
    """What the app sends to have an address say this sentence."""
    return b"text=" + sentence.replace(" ", "+").encode()


def by_mouse(page: Page) -> None:
    page.get_by_role("radio", name="Beam", exact=True).click()


def by_keys(page: Page) -> None:
    page.get_by_role("radio", name="Greedy", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")


@pytest.mark.parametrize("deed", [by_mouse, nightly(by_keys)])
def test_a_click_before_the_answer_to_back_loses_neither(
    slow: tuple[Page, Line], server: Server, deed: Callable[[Page], None]
):
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    write(page, SECOND)
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=address_of(FIRST))
    deed(page)
    line.wait_for(1, answers=True, part=b"method=beam")
    line.let_go(answers=True)
    expect(box(page)).to_have_value(FIRST)
    expect_setting(page, text=FIRST, method="beam")
    ready(page)
    expect(page.get_by_role("radio", name="Beam", exact=True)).to_be_checked()
    expect_query(page, text=FIRST, method="beam")
    page.go_forward()
    expect(box(page)).to_have_value(SECOND)


@pytest.mark.nightly
def test_back_and_a_click_that_arrive_together_both_count(slow: tuple[Page, Line], server: Server):
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    write(page, SECOND)
    line.hold(answers=False)
    page.go_back()
    by_mouse(page)
    line.wait_for(2, answers=False)
    line.let_go(answers=False)
    expect(box(page)).to_have_value(FIRST)
    expect_setting(page, text=FIRST, method="beam")
    ready(page)
    expect_query(page, text=FIRST, method="beam")


@pytest.mark.nightly
def test_a_sentence_typed_before_the_answer_to_back_is_kept(slow: tuple[Page, Line], server: Server):
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.&method=beam")
    write(page, SECOND)
    page.get_by_role("radio", name="Greedy", exact=True).click()
    expect_query(page, text=SECOND)
    ready(page)
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=b"method=beam")
    box(page).fill(THIRD)
    box(page).press("Enter")
    line.wait_for(1, answers=True, part=address_of(THIRD))
    line.let_go(answers=True)
    expect_setting(page, text=THIRD, method="beam")
    ready(page)
    expect(box(page)).to_have_value(THIRD)


def test_a_click_on_a_page_that_back_has_left_does_not_undo_back(slow: tuple[Page, Line], server: Server):
    """Until the answer comes, the page that was left is still on the screen."""
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    go(page, "Attribution")
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=address_of(FIRST))
    by_mouse(page)
    line.wait_for(2, answers=True, part=address_of(FIRST))
    line.let_go(answers=True)
    arrived(page, "Attention Atlas")
    assert path(page) == "/"
    expect_query(page, text=FIRST)
    page.go_forward()
    arrived(page, "Attribution")


@pytest.mark.nightly
def test_a_sentence_goes_along_however_soon_the_menu_is_used(page: Page, server: Server):
    """The box is left, and after so many milliseconds a link is pressed: neither of them waits for an answer."""
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    lost = []
    for delay in range(0, 21, 2):
        title, name = (("Attention", "Attention"), ("Attention Atlas", "Translate"))[delay // 2 % 2]
        sentence = f"They waited for {delay} hours."
        box(page).fill(sentence)
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
        arrived(page, title)
        if box(page).input_value() != sentence:
            lost.append(delay)
    assert lost == []


def pressed(page: Page, link: Locator) -> None:
    link.click()


def entered(page: Page, link: Locator) -> None:
    link.focus()
    page.keyboard.press("Enter")


def asked(page: Page, link: Locator) -> None:
    """As assistive technology presses it: the box keeps the focus until then."""
    link.evaluate("link => link.click()")


@pytest.mark.parametrize("use", [pressed, nightly(entered), nightly(asked)])
def test_a_sentence_and_a_page_that_arrive_together_both_count(
    slow: tuple[Page, Line], server: Server, use: Callable[[Page, Locator], None]
):
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    box(page).fill(THIRD)
    line.hold(answers=False)
    use(page, link_to(page, "Attention"))
    line.wait_for(2, answers=False)
    line.let_go(answers=False)
    arrived(page, "Attention")
    expect(box(page)).to_have_value(THIRD)
    expect_setting(page, text=THIRD)
    page.go_back()
    arrived(page, "Attention Atlas")


def test_what_the_page_to_come_says_does_not_befall_the_page_that_is_left(page: Page, server: Server):
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
