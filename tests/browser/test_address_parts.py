"""A user action and a page change at the same moment: neither is lost, in either order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_setting, path
from tests.browser.choices import choose, show_option
from tests.browser.conftest import Server, open_page
from tests.browser.held_line import HeldLine
from tests.browser.keys import tab_to
from tests.browser.menu import link_to
from tests.browser.test_address import go_to_page, sentence_box, wait_for_page
from tests.browser.test_address_races import FIRST
from tests.tiers import nightly

AT_ONCE = "link => link.click()"  # Playwright's own click takes a while
MOVE = "ArrowRight"


def click_without_waiting(page: Page, name: str) -> None:
    """Click an option without waiting until it is enabled."""
    box = page.get_by_role("radio", name=name, exact=True).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.nightly
def test_a_fragment_action_and_a_page_change_sent_together_are_both_applied(
    held_page: tuple[Page, HeldLine], server: Server
):
    """Streamlit alone would run the other page before the fragment, whose new value would be lost."""
    page, line = held_page
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    line.hold(answers=False)
    choose(page, "Decoder")
    link_to(page, "Heads").click()
    line.wait_for(2, answers=False)
    line.release(answers=False)
    wait_for_page(page, "Heads")
    expect_setting(page, kind="decoder")


@pytest.mark.parametrize("control", [nightly("Beam"), nightly("Decoder")])  # of the whole page, and of a part of it
def test_a_click_on_the_old_page_does_not_undo_a_menu_click(
    held_page: tuple[Page, HeldLine], server: Server, control: str
):
    page, line = held_page
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    show_option(page, control)
    line.hold(answers=True)
    link_to(page, "Attribution").click()
    line.wait_for(1, answers=True, part=b"Attribution")
    click_without_waiting(page, control)
    line.release(answers=True)
    wait_for_page(page, "Attribution")
    choose(page, "Sampling")
    expect_setting(page, method="sampling")
    assert path(page) == "/attribution"
    page.go_back()
    wait_for_page(page, "Attention")
    expect(page.get_by_role("radio", name="Cross", exact=True)).to_be_checked()  # which the page opens with


@pytest.mark.nightly
def test_a_page_accepts_actions_after_a_menu_click_and_back(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/?text=Where%3F")
    go_to_page(page, "Attention")
    line.hold(answers=True)
    link_to(page, "Heads").click()
    page.go_back()
    line.wait_for(1, answers=True, part=b"text=Where")
    line.release(answers=True)
    wait_for_page(page, "Attention Atlas")
    choose(page, "Beam")
    expect_setting(page, text="Where?", method="beam")


@pytest.mark.parametrize("answers", [False, nightly(True)])  # whose messages are held: the browser's or the app's
def test_a_fragment_action_on_the_old_page_does_not_undo_back(
    held_page: tuple[Page, HeldLine], server: Server, answers: bool
):
    """Streamlit alone, if both arrive together, would clear the page that Back led to for the old page's fragment."""
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    go_to_page(page, "Attention")
    line.hold(answers=answers)
    page.go_back()
    line.wait_for(1, answers=answers, part=b"text=I+am+a+student.")
    click_without_waiting(page, "Decoder")
    if not answers:
        line.wait_for(2, answers=False)
    line.release(answers=answers)
    wait_for_page(page, "Attention Atlas")
    choose(page, "Beam")
    expect_setting(page, text=FIRST, method="beam")
    assert path(page) == "/"
    page.go_forward()
    wait_for_page(page, "Attention")


def focus_step_slider(page: Page) -> None:
    tab_to(page.locator('input[data-axis="step"]'))


def focus_length_slider(page: Page) -> None:
    tab_to(page.get_by_test_id("stSlider").first.get_by_role("slider"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("address", "slider", "setting"),
    [
        ("history?text=Where%3F&step=1", focus_step_slider, {"step": "2"}),
        nightly("positions?text=Where%3F", focus_length_slider, {"length": "65"}),
    ],
)
def test_a_slider_moved_just_before_a_page_change_keeps_its_value(
    page: Page, server: Server, address: str, slider: Callable[[Page], None], setting: dict[str, str]
):
    """A slider's value is sent once it has not moved for a moment."""
    open_page(page, f"{server.url}/{address}")
    title = page.locator('[data-testid="stMain"] h1').inner_text()
    link = link_to(page, "Tokens")
    slider(page)
    page.keyboard.press(MOVE)
    link.evaluate(AT_ONCE)
    wait_for_page(page, "Tokens")
    expect(sentence_box(page)).to_have_value("Where?")
    go_to_page(page, title)
    expect_setting(page, **setting)
